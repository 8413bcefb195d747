/**
 * `edgetape doctor`: checks a deployment and gives advice for each finding. It reads the service's own report, compares
 * the service with this checkout, and checks that clients reach the public host.
 */

import manifest from "../../../package.json" with { type: "json" };
import * as wire from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../datasets/registry.ts";
import { type AdminClient, LISTING_MS } from "../admin-client.ts";
import { type Call, command } from "../command.ts";
import { sizeText } from "../command-line.ts";
import { inDataset, loadedDays } from "../dataset-days.ts";
import { MIGRATIONS } from "../demo/migrations.ts";
import { CommandFailure, EXIT, ServiceRefusal } from "../exit.ts";
import * as option from "../option.ts";
import { checkPublicHost } from "./public-host.ts";

const OPTIONS = {
  repair: option.flag(
    "rebuild index rows, end old uploads, delete expired and orphaned objects; no data is lost",
  ),
  deleteUnknown: option.flag(
    "delete, after a confirmation, every object that is older than a day and not in the catalog",
  ),
  yes: option.YES,
  indexDays: option.count("compare the index rows of the newest <count> days with their packs").orElse(20),
  all: option.flag("compare the index rows of every day"),
  host: option.negated(
    "do not check the public host with the user agents of urllib, curl, wget, aria2 and rclone",
  ),
};

export const doctor = command("doctor", {
  says: "check a deployment from its settings to its public host, with advice for each finding",
  options: OPTIONS,
  help: "\nExit status 1: a check failed. With only warnings it is 0.",
  async run(call, options) {
    const deleted = options.deleteUnknown ? await deleteUnknown(call) : [];
    const { checks, findings } = await examine(call.client, options);
    const examined = { checks, findings: [...deleted, ...findings] };
    call.print(examined, linesOf(examined));
    if (examined.findings.some(({ level }) => level === "failed")) process.exitCode = EXIT.failed;
  },
});

/** Deletes the objects that are not in the catalog, after the operator has confirmed their list. */
async function deleteUnknown({ client, confirm }: Call): Promise<wire.Finding[]> {
  const listing = { silenceMs: LISTING_MS };
  const { objects } = await client.get(wire.unknownObjectsSchema, "/admin/doctor/objects", listing);
  if (objects.length === 0) return [];
  const listed = objects.map(
    ({ key, sizeBytes, uploadedAt }) => `${key} (${sizeText(sizeBytes)}, uploaded ${uploadedAt})`,
  );
  await confirm(`Delete permanently: ${listed.join(", ")}?`);
  const findings: wire.Finding[] = [];
  for (let at = 0; at < objects.length; at += wire.MAX_DELETED_OBJECTS) {
    const keys = objects.slice(at, at + wire.MAX_DELETED_OBJECTS).map(({ key }) => key);
    const request = { body: { keys }, repeatable: true };
    const done = await client.post(wire.findingListSchema, "/admin/doctor/objects/delete", request);
    findings.push(...done.findings);
  }
  return findings;
}

function linesOf({ checks, findings }: Examined): string[] {
  const { failed = [], warning = [], done = [] } = Object.groupBy(findings, ({ level }) => level);
  const well = checks.filter((check) => findings.every((finding) => finding.check !== check));
  return [
    ...[...failed, ...warning, ...done].flatMap(({ level, check, sentence, advice }) => [
      `${level.toUpperCase().padEnd(8)}${check.padEnd(12)}${sentence}`,
      ...(advice === "" ? [] : [`${" ".repeat(20)}${advice}`]),
    ]),
    `passed: ${well.length === 0 ? "none" : well.join(", ")}`,
    `${failed.length} failed, ${warning.length} warnings, ${done.length} repaired`,
  ];
}

/** Number of days checked concurrently; each takes a few reads. */
const PARALLEL_DAYS = 4;
/** The tolerated clock error. With a larger error, too many requests around midnight would count on the wrong day. */
const SKEW_MS = 5_000;

/** The subjects of the service's own report. */
const REPORTED = [
  ...["stores", "migrations", "version", "settings", "clock"],
  ...["calendar", "days", "objects", "uploads", "index"],
];

type Examined = Awaited<ReturnType<typeof examine>>;

/** Returns the checked subjects and the findings; with `repair`, first makes the repairs that lose no data. */
async function examine(
  client: AdminClient,
  { repair = false, indexDays, all, host }: option.Values<typeof OPTIONS>,
) {
  const checks: string[] = [];
  const findings: wire.Finding[] = [];
  const hosts = new Set([client.baseUrl]);
  const report = await reportOf(client, repair, findings);
  if (report !== null) {
    checks.push(...REPORTED);
    findings.push(...storeFindings(report), ...checkoutFindings(report));
    for (const dataset of DATASET_NAMES) {
      const days = dataset === "orders" ? report.days : await loadedDays(client, dataset);
      const checked = all ? days : days.slice(-indexDays);
      findings.push(...(await checkIndexes(client, dataset, checked, repair)));
    }
    if (report.publicBaseUrl !== null) hosts.add(report.publicBaseUrl);
  }
  if (host) {
    checks.push("host");
    for (const each of hosts) findings.push(...(await checkPublicHost(each)));
  }
  return { checks, findings };
}

/** Returns the service's report, or null, and adds its findings, or why it cannot be read, to `findings`. */
async function reportOf(client: AdminClient, repair: boolean, findings: wire.Finding[]) {
  try {
    // Repairs come first, so that the report shows what remains.
    if (repair) {
      const done = await client.post(wire.findingListSchema, "/admin/doctor/repair", { repeatable: true });
      findings.push(...done.findings);
    }
    const askedMs = Date.now();
    const report = await client.get(wire.doctorReportSchema, "/admin/doctor", { silenceMs: LISTING_MS });
    findings.push(...report.findings, ...clockFindings(report.nowMs, askedMs, Date.now()));
    return report;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const isToken = error instanceof ServiceRefusal && error.refused.httpStatus === 401;
    const advice = isToken
      ? "Checks that need the token were skipped."
      : "If the service answers HTTP 503, a secret or binding is missing: see `npx wrangler secret list` and `npx wrangler tail`.";
    const { message: sentence } = error;
    findings.push({ check: "service", level: "failed", subject: client.baseUrl, sentence, advice });
    return null;
  }
}

/**
 * Returns a finding when the service's clock was more than `SKEW_MS` before `beforeMs` or after `afterMs`, this
 * machine's times before and after the call.
 */
export function clockFindings(serviceMs: number, beforeMs: number, afterMs: number): wire.Finding[] {
  const skewMs = serviceMs < beforeMs ? serviceMs - beforeMs : Math.max(0, serviceMs - afterMs);
  if (Math.abs(skewMs) <= SKEW_MS) return [];
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const sentence = `The service's clock is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} this machine's.`;
  const advice = "If CLOCK_OFFSET_MS is not set, this machine's clock is wrong; `nightly` depends on it.";
  return [{ check: "clock", level: "warning", subject: "", sentence, advice }];
}

function storeFindings({ stores }: wire.DoctorReport): wire.Finding[] {
  const bindings = { d1: "DB", r2: "PACKS", gate: "GATE", guard: "GUARD", rate: "RATE" } as const;
  const advice = "Compare wrangler.toml with the created resources, and check the platform's status.";
  return (Object.keys(bindings) as (keyof typeof bindings)[])
    .filter((store) => stores[store] === "failed")
    .map((store) => {
      const sentence = `The binding ${bindings[store]} does not answer.`;
      return { check: "stores", level: "failed", subject: bindings[store], sentence, advice };
    });
}

/** Compares the deployment with this checkout. */
export function checkoutFindings({
  migrations,
  version,
}: Pick<wire.DoctorReport, "migrations" | "version">): wire.Finding[] {
  const findings: wire.Finding[] = [];
  const add = (check: string, level: wire.Finding["level"], sentence: string, advice: string) =>
    findings.push({ check, level, subject: "", sentence, advice });
  if (manifest.version !== version) {
    add(
      "version",
      "warning",
      `The service has version ${version}, this checkout has ${manifest.version}.`,
      "Run `npm run deploy`, or check out the service's version.",
    );
  }
  if (migrations === null) {
    add("migrations", "warning", "The applied migrations are unknown.", "Apply them with `npm run deploy`.");
    return findings;
  }
  const lacking = MIGRATIONS.filter((name) => !migrations.includes(name));
  const strange = migrations.filter((name) => !MIGRATIONS.includes(name));
  if (lacking.length > 0) {
    add(
      "migrations",
      "failed",
      `The database lacks the migrations ${lacking.join(", ")}.`,
      "Run `npm run deploy`, which applies them.",
    );
  }
  if (strange.length > 0) {
    add(
      "migrations",
      "warning",
      `This checkout lacks the applied migrations ${strange.join(", ")}.`,
      "Use a checkout of the deployed version.",
    );
  }
  return findings;
}

async function checkIndexes(client: AdminClient, dataset: DatasetName, days: BeijingDate[], repair: boolean) {
  const findings: wire.Finding[] = [];
  const waiting = [...days];
  const look = async () => {
    for (let day = waiting.shift(); day !== undefined; day = waiting.shift()) {
      const [method, step] = repair ? (["post", "/repair"] as const) : (["get", ""] as const);
      const path = inDataset(`/admin/doctor/index/${day}${step}`, dataset);
      const request = { repeatable: true, silenceMs: LISTING_MS };
      findings.push(...(await client[method](wire.indexReportSchema, path, request)).findings);
      if (waiting.length > 0 && waiting.length % 50 === 0) {
        console.error(`${waiting.length} days are left to check`);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_DAYS }, look));
  return findings.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
}
