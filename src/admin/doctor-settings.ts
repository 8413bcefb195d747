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

/** Adds a finding: the setting, what is wrong, and what to do. */
type Add = (level: "failed" | "warning", subject: string, sentence: string, advice: string) => void;

/** Returns findings about `settings`. */
export function judgeSettings(settings: Settings, question: SettingsQuestion): Finding[] {
  const findings: Finding[] = [];
  const add: Add = (level, subject, sentence, advice) =>
    findings.push({ check: "settings", level, subject, sentence, advice });
  judgeSecrets(settings, question, add);
  judgeRotation(settings, question.nowMs, add);
  judgeSwitches(settings, add);
  if (!question.isLocal) judgePublic(settings, add);
  return findings;
}

function judgeSecrets(settings: Settings, { shareVersions }: SettingsQuestion, add: Add): void {
  const { SHARE_SECRET, BACKUP_SECRET, CURSOR_SECRET, ADMIN_TOKEN } = settings;
  const secrets: [name: string, value: string][] = [
    ["CURSOR_SECRET", CURSOR_SECRET],
    ["ADMIN_TOKEN", ADMIN_TOKEN],
    ...versionsOf("SHARE_SECRET", SHARE_SECRET),
    ...versionsOf("BACKUP_SECRET", BACKUP_SECRET),
  ];
  const seen = new Map<string, string>();
  for (const [name, value] of secrets) {
    const other = seen.get(value);
    seen.set(value, name);
    if (other !== undefined) add("failed", name, `${name} is the same as ${other}.`, newSecret(name));
    if (new Set(value).size < FEWEST_CHARACTERS) {
      add("failed", name, `${name} can be guessed: it has few different characters.`, newSecret(name));
    }
  }
  if (ADMIN_TOKEN.length < SHORT_TOKEN) {
    const sentence = `ADMIN_TOKEN has fewer than ${SHORT_TOKEN} characters.`;
    add("warning", "ADMIN_TOKEN", sentence, newSecret("ADMIN_TOKEN"));
  }
  for (const version of shareVersions.filter((each) => !SHARE_SECRET.secrets.has(each))) {
    const sentence = `SHARE_SECRET lacks version ${version}, which valid shares or external shares use: their passwords do not work.`;
    const advice = "Restore that version, or revoke the shares and register the external shares again.";
    add("failed", "SHARE_SECRET", sentence, advice);
  }
  if (BACKUP_SECRET !== undefined) return;
  const sentence =
    "BACKUP_SECRET is not set: backups are not sealed, so an edited backup cannot be detected.";
  const advice =
    "Set it with `printf '1:%s' \"$(openssl rand -base64 32)\" | npx wrangler secret put BACKUP_SECRET`, and store it with your other secrets.";
  add("warning", "BACKUP_SECRET", sentence, advice);
}

function versionsOf(name: string, held: ShareSecrets | undefined): [name: string, value: string][] {
  return [...(held?.secrets ?? [])].map(([version, value]) => [`${name} version ${version}`, value]);
}

function judgeRotation(settings: Settings, nowMs: number, add: Add): void {
  const { CURSOR_SECRET_PREVIOUS: previous, CURSOR_SECRET_ROTATED_AT: rotatedAt } = settings;
  if (previous === undefined) return;
  const name = "CURSOR_SECRET_PREVIOUS";
  if (rotatedAt === undefined) {
    const sentence = `${name} is set without CURSOR_SECRET_ROTATED_AT, so it has no effect: cursors of that secret are refused.`;
    add("warning", name, sentence, "Set CURSOR_SECRET_ROTATED_AT, or delete CURSOR_SECRET_PREVIOUS.");
  } else if (nowMs - Date.parse(rotatedAt) > PREVIOUS_ACCEPTED_MS) {
    const sentence = `${name} is set but no longer accepted: it expired 24 hours after ${rotatedAt}.`;
    add("warning", name, sentence, "Delete it.");
  }
}

function judgeSwitches({ CLOCK_OFFSET_MS, RATE_LIMIT, UNKNOWN_PARAMETERS }: Settings, add: Add): void {
  if (CLOCK_OFFSET_MS !== 0) {
    const sentence = `CLOCK_OFFSET_MS is ${CLOCK_OFFSET_MS}, so the service's clock is wrong.`;
    add("failed", "CLOCK_OFFSET_MS", sentence, "Delete the setting; it is for tests only.");
  }
  if (RATE_LIMIT === "off") {
    add("warning", "RATE_LIMIT", "The per-second limit is off.", "Delete RATE_LIMIT.");
  }
  if (UNKNOWN_PARAMETERS === "warn") {
    const sentence = "Unknown parameters are served with a warning header instead of being refused.";
    const advice = "Delete the setting once no caller sends unknown parameters.";
    add("warning", "UNKNOWN_PARAMETERS", sentence, advice);
  }
}

/** Checks the settings that a public deployment needs and a local one does not. */
function judgePublic({ PUBLIC_BASE_URL, WEBHOOK_URL }: Settings, add: Add): void {
  if (PUBLIC_BASE_URL === undefined) {
    const sentence =
      "PUBLIC_BASE_URL is not set: the service issues no shares and no sign-in links, and /health fails.";
    add("failed", "PUBLIC_BASE_URL", sentence, "Set it to the public https URL.");
  } else if (!PUBLIC_BASE_URL.startsWith("https://")) {
    const sentence = "PUBLIC_BASE_URL is not an https URL, so passwords of shares are sent unencrypted.";
    add("warning", "PUBLIC_BASE_URL", sentence, "Set it to the public https URL.");
  }
  if (WEBHOOK_URL === undefined) {
    const sentence = "WEBHOOK_URL is not set, so findings of the scheduled task are only logged.";
    add("warning", "WEBHOOK_URL", sentence, "Set it with `npx wrangler secret put WEBHOOK_URL`.");
  }
}

function newSecret(name: string): string {
  const [binding = name] = name.split(" ");
  return `Create a new one with \`openssl rand -base64 32\` and set it with \`npx wrangler secret put ${binding}\`.`;
}
