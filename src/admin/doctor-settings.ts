/** Finds settings that are valid but unsafe. Messages never contain values of secrets. */
import type { Settings } from "../env.ts";
import type { ShareSecrets } from "../shares/secrets.ts";
import type { Finding } from "../upkeep/finding.ts";

/** How long a previous cursor secret is accepted after the rotation (contract 5.2). */
const PREVIOUS_ACCEPTED_MS = 24 * 3_600_000;
/** A random secret has at least this many different characters. */
const FEWEST_CHARACTERS = 10;
const SHORT_TOKEN = 32;

interface SettingsQuestion {
  nowMs: number;
  /** Versions of share secrets that valid shares and external shares use. */
  shareVersions: number[];
  /** Whether only this machine can reach the deployment. Such a deployment needs no public URL and no webhook. */
  isLocal: boolean;
}

/** Returns findings about `settings`. */
export function judgeSettings(settings: Settings, question: SettingsQuestion): Finding[] {
  const { nowMs, shareVersions, isLocal } = question;
  return [
    ...secretFindings(settings),
    ...shareFindings(settings, shareVersions),
    ...backupFindings(settings),
    ...rotationFindings(settings, nowMs),
    ...otherFindings(settings),
    ...(isLocal ? [] : publicFindings(settings)),
  ];
}

function secretFindings(settings: Settings): Finding[] {
  const secrets: [name: string, value: string][] = [
    ["CURSOR_SECRET", settings.CURSOR_SECRET],
    ["ADMIN_TOKEN", settings.ADMIN_TOKEN],
    ...versionsOf("SHARE_SECRET", settings.SHARE_SECRET),
    ...versionsOf("BACKUP_SECRET", settings.BACKUP_SECRET),
  ];
  const findings: Finding[] = [];
  const seen = new Map<string, string>();
  for (const [name, value] of secrets) {
    const other = seen.get(value);
    seen.set(value, name);
    if (other !== undefined) findings.push(failed(name, `${name} is the same as ${other}.`, newSecret(name)));
    if (new Set(value).size < FEWEST_CHARACTERS) {
      findings.push(
        failed(name, `${name} can be guessed: it has few different characters.`, newSecret(name)),
      );
    }
  }
  if (settings.ADMIN_TOKEN.length < SHORT_TOKEN) {
    const sentence = `ADMIN_TOKEN has fewer than ${SHORT_TOKEN} characters.`;
    findings.push(warning("ADMIN_TOKEN", sentence, newSecret("ADMIN_TOKEN")));
  }
  return findings;
}

function versionsOf(name: string, held: ShareSecrets | undefined): [name: string, value: string][] {
  return [...(held?.secrets ?? [])].map(([version, value]) => [`${name} version ${version}`, value]);
}

function backupFindings({ BACKUP_SECRET }: Settings): Finding[] {
  if (BACKUP_SECRET !== undefined) return [];
  const sentence =
    "BACKUP_SECRET is not set: backups are not sealed, so an edited backup cannot be detected.";
  const advice =
    "Set it with `printf '1:%s' \"$(openssl rand -base64 32)\" | npx wrangler secret put BACKUP_SECRET`, and store it with your other secrets.";
  return [warning("BACKUP_SECRET", sentence, advice)];
}

function shareFindings({ SHARE_SECRET }: Settings, versions: number[]): Finding[] {
  return versions
    .filter((version) => !SHARE_SECRET.secrets.has(version))
    .map((version) =>
      failed(
        "SHARE_SECRET",
        `SHARE_SECRET lacks version ${version}, which valid shares or external shares use: their passwords do not work.`,
        "Restore that version, or revoke the shares and register the external shares again.",
      ),
    );
}

function rotationFindings(settings: Settings, nowMs: number): Finding[] {
  const { CURSOR_SECRET_PREVIOUS: previous, CURSOR_SECRET_ROTATED_AT: rotatedAt } = settings;
  if (previous === undefined) return [];
  const name = "CURSOR_SECRET_PREVIOUS";
  if (rotatedAt === undefined) {
    const sentence = `${name} is set without CURSOR_SECRET_ROTATED_AT, so it has no effect: cursors of that secret are refused.`;
    return [warning(name, sentence, "Set CURSOR_SECRET_ROTATED_AT, or delete CURSOR_SECRET_PREVIOUS.")];
  }
  if (nowMs - Date.parse(rotatedAt) <= PREVIOUS_ACCEPTED_MS) return [];
  return [
    warning(
      name,
      `${name} is set but no longer accepted: it expired 24 hours after ${rotatedAt}.`,
      "Delete it.",
    ),
  ];
}

function otherFindings(settings: Settings): Finding[] {
  const { CLOCK_OFFSET_MS, RATE_LIMIT, UNKNOWN_PARAMETERS } = settings;
  const findings: Finding[] = [];
  if (CLOCK_OFFSET_MS !== 0) {
    const sentence = `CLOCK_OFFSET_MS is ${CLOCK_OFFSET_MS}, so the service's clock is wrong.`;
    findings.push(failed("CLOCK_OFFSET_MS", sentence, "Delete the setting; it is for tests only."));
  }
  if (RATE_LIMIT === "off") {
    findings.push(warning("RATE_LIMIT", "The per-second limit is off.", "Delete RATE_LIMIT."));
  }
  if (UNKNOWN_PARAMETERS === "warn") {
    const sentence = "Unknown parameters are served with a warning header instead of being refused.";
    findings.push(
      warning("UNKNOWN_PARAMETERS", sentence, "Delete the setting once no caller sends unknown parameters."),
    );
  }
  return findings;
}

/** Checks the settings that a public deployment needs and a local one does not. Returns one finding for each fault. */
function publicFindings({ PUBLIC_BASE_URL, WEBHOOK_URL }: Settings): Finding[] {
  const findings: Finding[] = [];
  if (PUBLIC_BASE_URL === undefined) {
    const sentence =
      "PUBLIC_BASE_URL is not set: the service issues no shares and no sign-in links, and /health fails.";
    findings.push(failed("PUBLIC_BASE_URL", sentence, "Set it to the public https URL."));
  } else if (!PUBLIC_BASE_URL.startsWith("https://")) {
    const sentence = "PUBLIC_BASE_URL is not an https URL, so passwords of shares are sent unencrypted.";
    findings.push(warning("PUBLIC_BASE_URL", sentence, "Set it to the public https URL."));
  }
  if (WEBHOOK_URL === undefined) {
    const sentence = "WEBHOOK_URL is not set, so findings of the scheduled task are only logged.";
    findings.push(warning("WEBHOOK_URL", sentence, "Set it with `npx wrangler secret put WEBHOOK_URL`."));
  }
  return findings;
}

function newSecret(name: string): string {
  const [binding = name] = name.split(" ");
  return `Create a new one with \`openssl rand -base64 32\` and set it with \`npx wrangler secret put ${binding}\`.`;
}

function failed(subject: string, sentence: string, advice: string): Finding {
  return { check: "settings", level: "failed", subject, sentence, advice };
}

function warning(subject: string, sentence: string, advice: string): Finding {
  return { check: "settings", level: "warning", subject, sentence, advice };
}
