/**
 * One day's delivery to the service: build, verify, publish, then the files for shares. What was reached is
 * written down after every step, so that a killed run resumes where it was.
 */
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { buildPack } from "../../pack-builder/build.ts";
import { type BuildReport, placeText } from "../../pack-builder/build-report.ts";
import {
  LEFT_OUT_TEXTS,
  type LeftOutReason,
  mayHoldRecords,
} from "../../pack-builder/delivery/source-file.ts";
import type { AdminClient } from "../admin-client.ts";
import { CommandFailure, ServiceRefusal } from "../exit.ts";
import { addFile, openDailyFile, publishFile, refuseWrongName } from "../file-commands.ts";
import { byteProgress, stageProgress } from "../progress.ts";
import { openPack, publishPack } from "../publish-command.ts";
import { writeWhole } from "../work-folder.ts";
import { type DailyFile, type Delivery, readDelivery } from "./drop-folder.ts";

export interface LoadOptions {
  /** The drop folder: nothing outside it is read. */
  folder: string;
  /** Packs while they are needed, quarantined lines, and what is remembered of each day. */
  workFolder: string;
  threads: number;
  /** Broken lines a build survives; null: one in a million. */
  maxBroken: number | null;
  /** Publish even what the service finds implausible. */
  force: boolean;
  /** Keep the pack when it is published. */
  keep: boolean;
}

/** Loads `delivery`, which is complete. Never throws: what went wrong is in the outcome. */
export async function loadDay(
  client: AdminClient,
  delivery: Delivery,
  options: LoadOptions,
): Promise<DayOutcome> {
  const { tradedate, fingerprint } = delivery;
  const { workFolder } = options;
  const startedMs = performance.now();
  const orders = await loadOrders(client, delivery, options);
  const files: FileOutcome[] = [];
  for (const file of delivery.files) files.push(await loadFile(client, delivery, file, options));
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  const outcome = { tradedate, ...orders, files, seconds };
  const memory = recallDay(workFolder, tradedate, fingerprint);
  rememberDay(workFolder, tradedate, { ...memory, outcome });
  if (memory.built !== null && orders.state !== "failed" && !options.keep) {
    await rm(memory.built.path, { force: true });
  }
  return outcome;
}

type Orders = Omit<DayOutcome, "tradedate" | "files" | "seconds">;

async function loadOrders(client: AdminClient, delivery: Delivery, options: LoadOptions): Promise<Orders> {
  let built: Built | undefined;
  try {
    built = await builtPack(delivery, options);
    return await publishOrders(client, built, options.force);
  } catch (error) {
    const { brokenRows = 0, quarantine = null, degraded = false, leftOut = [] } = built ?? {};
    const unserved = { revision: null, announcedAtMs: null, rows: 0, securities: 0, sizeBytes: 0 };
    const problem = { problem: sentenceOf(error), problemZh: chineseOf(error, delivery.tradedate) };
    const decided = isDecided(error);
    return { state: "failed", decided, ...problem, ...unserved, degraded, brokenRows, quarantine, leftOut };
  }
}

/** The day's pack: the one that an earlier run built of this delivery, or a new one. */
async function builtPack(delivery: Delivery, options: LoadOptions): Promise<Built> {
  const { tradedate, fingerprint } = delivery;
  const { workFolder } = options;
  const memory = recallDay(workFolder, tradedate, fingerprint);
  if (memory.built !== null && (await buildIdAt(memory.built.path)) === memory.built.buildId) {
    return memory.built;
  }
  const progress = stageProgress(`building ${tradedate}`);
  const report = await buildPack({
    sources: delivery.orders,
    root: options.folder,
    tradedate,
    outFolder: join(workFolder, "packs"),
    maxBroken: options.maxBroken,
    threads: options.threads,
    verify: true,
    onProgress: progress.update,
  });
  progress.end();
  const built = builtOf(report, delivery);
  if ((await readDelivery(options.folder, tradedate)).mark !== delivery.mark) {
    throw new CommandFailure("The delivery changed while it was read; run it again when it is complete.");
  }
  rememberDay(workFolder, tradedate, { ...memory, built });
  return built;
}

async function buildIdAt(path: string): Promise<string | null> {
  const pack = await openPack(path).catch(() => null);
  await pack?.close();
  return pack?.index.buildId ?? null;
}

function builtOf(report: BuildReport, { links }: Delivery): Built {
  const { pack, buildId, result, broken, tradedate } = report;
  if (pack === null || buildId === null) {
    const { first, rows, allowed } = broken;
    throw new CommandFailure(
      first === null
        ? `Not one order of ${tradedate} was found.`
        : `${rows} lines are no rows, ${allowed} are allowed; the first is ${placeText(first)}: ${first.reason}.`,
    );
  }
  const { quarantine, rows: brokenRows } = broken;
  const leftOut = [
    ...links.map((path) => ({ path: basename(path), reason: "link" as const })),
    ...report.leftOut.filter(({ reason }) => mayHoldRecords(reason)),
  ];
  const degraded = result === "degraded" || leftOut.length > 0;
  return { path: pack, buildId, degraded, brokenRows, quarantine, leftOut };
}

async function publishOrders(client: AdminClient, built: Built, force: boolean): Promise<Orders> {
  const { path, degraded, brokenRows, quarantine, leftOut } = built;
  const pack = await openPack(path);
  try {
    const progress = byteProgress(`publishing ${pack.index.tradedate}`, pack.sizeBytes);
    const { day, newRevision } = await publishPack(client, pack, {
      degraded,
      force,
      onSent: progress.update,
    });
    progress.end();
    const { revision, rows, securities, sizeBytes } = day;
    const announcedAtMs = Date.now() + day.announcedInMs;
    const state = newRevision ? "published" : "unchanged";
    const served = { revision, announcedAtMs, rows, securities, sizeBytes };
    return { state, problem: null, problemZh: null, ...served, degraded, brokenRows, quarantine, leftOut };
  } finally {
    await pack.close();
  }
}

async function loadFile(
  client: AdminClient,
  { tradedate }: Delivery,
  daily: DailyFile,
  { folder, force }: LoadOptions,
): Promise<FileOutcome> {
  const { dataType, name, path } = daily;
  const place = { dataType, tradedate, name };
  try {
    refuseWrongName(place);
    const file = await openDailyFile(path, place, folder);
    const added = await addFile(client, place, file).finally(() => file.close());
    const { revision } = await publishFile(client, place, { revision: added.revision, force });
    return { dataType, name, revision, problem: null };
  } catch (error) {
    return { dataType, name, revision: null, problem: sentenceOf(error) };
  }
}

/** Returns the Chinese sentence of a refusal that happens now and then; null for anything else. */
function chineseOf(error: unknown, tradedate: string): string | null {
  switch (error instanceof ServiceRefusal ? error.refused.reason : undefined) {
    case "implausible":
      return `${tradedate} 的数据量与平常相差太多；核对无误后加 --force 再运行一次`;
    case "day_repeated":
      return `${tradedate} 的数据与另一天完全相同，像是同一份数据换了日期；核对无误后加 --force 再运行一次`;
    case "shrunk":
      return `${tradedate} 的数据比要替换的修订版本少；核对无误后加 --force 再运行一次`;
    case "content_withdrawn":
      return `${tradedate} 的这份数据已被撤回，不再发布；原因见 edgetape day show ${tradedate}`;
    case "target_withdrawn":
      return `${tradedate} 已被撤回；如确需发布新数据，加 --force 再运行一次`;
    default:
      return null;
  }
}

/** Whether an operator's decision stands against the day: trying again changes nothing, and nothing is broken. */
function isDecided(error: unknown): boolean {
  const reason = error instanceof ServiceRefusal ? error.refused.reason : undefined;
  return reason === "content_withdrawn" || reason === "target_withdrawn";
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? error.name) : String(error);
}

const fileOutcomeSchema = z.object({
  dataType: z.string(),
  name: z.string(),
  revision: z.number().nullable(),
  /** Why it is not offered, as a sentence; null when it is. */
  problem: z.string().nullable(),
});

const leftOutSchema = z.object({
  path: z.string(),
  reason: z.enum(Object.keys(LEFT_OUT_TEXTS) as [LeftOutReason, ...LeftOutReason[]]),
});

const outcomeSchema = z.object({
  tradedate: z.string(),
  /** `unchanged`: this very content was served already. */
  state: z.enum(["published", "unchanged", "failed"]),
  /** Why the orders are not served, as a sentence; null when they are. */
  problem: z.string().nullable(),
  /** The same in Chinese, where it has a Chinese text. */
  problemZh: z.string().nullable().default(null),
  /** Not served because an operator has withdrawn the day. */
  decided: z.boolean().optional(),
  revision: z.number().nullable(),
  /** When the service tells customers of the revision, in Unix milliseconds of this machine's clock. */
  announcedAtMs: z.number().nullable().default(null),
  rows: z.number(),
  securities: z.number(),
  sizeBytes: z.number(),
  degraded: z.boolean(),
  /** Lines that could not be rows, and where they are kept. */
  brokenRows: z.number(),
  quarantine: z.string().nullable(),
  /** Files of the delivery that may hold orders and were not read. */
  leftOut: z.array(leftOutSchema).default([]),
  files: z.array(fileOutcomeSchema),
  /** From the delivery to its end, in this run. */
  seconds: z.number(),
});
export type DayOutcome = z.infer<typeof outcomeSchema>;
type FileOutcome = z.infer<typeof fileOutcomeSchema>;

const builtSchema = z.object({
  path: z.string(),
  buildId: z.string(),
  degraded: z.boolean(),
  brokenRows: z.number(),
  quarantine: z.string().nullable(),
  leftOut: z.array(leftOutSchema).default([]),
});
export type Built = z.infer<typeof builtSchema>;

const memorySchema = z.object({
  /** Of the delivery this is about: another delivery of the day starts afresh. */
  fingerprint: z.string(),
  /** The pack that is built and verified. */
  built: builtSchema.nullable(),
  outcome: outcomeSchema.nullable(),
  /** Events that the webhook has taken. */
  told: z.array(z.string()),
});
type DayMemory = z.infer<typeof memorySchema>;

/** Whether everything of the day is where it belongs. */
export function isWell({ state, files }: DayOutcome): boolean {
  return state !== "failed" && files.every(({ problem }) => problem === null);
}

/** What `workFolder` remembers of `tradedate`; nothing when the delivery was another one. */
export function recallDay(workFolder: string, tradedate: BeijingDate, fingerprint: string): DayMemory {
  const fresh = { fingerprint, built: null, outcome: null, told: [] };
  const path = memoryPath(workFolder, tradedate);
  if (!existsSync(path)) return fresh;
  try {
    const memory = memorySchema.parse(JSON.parse(readFileSync(path, "utf8")));
    return memory.fingerprint === fingerprint ? memory : fresh;
  } catch {
    return fresh;
  }
}

/** Writes it down in one step. */
export function rememberDay(workFolder: string, tradedate: BeijingDate, memory: DayMemory): void {
  writeWhole(memoryPath(workFolder, tradedate), `${JSON.stringify(memory, null, 2)}\n`);
}

function memoryPath(workFolder: string, tradedate: BeijingDate): string {
  return join(workFolder, "days", `${tradedate}.json`);
}
