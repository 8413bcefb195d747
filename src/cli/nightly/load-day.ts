/**
 * Loads one day's delivery: builds, verifies and publishes the packs, then adds the files for shares. Progress is
 * stored after every step, so that the next run resumes after an interruption.
 */
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { auctionPackName } from "../../auction/columns.ts";
import { parsedJson } from "../../base/json.ts";
import type { Bilingual } from "../../base/language.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../datasets/registry.ts";
import { placeText } from "../../pack-builder/build-report.ts";
import {
  LEFT_OUT_TEXTS,
  type LeftOutReason,
  mayHoldRecords,
} from "../../pack-builder/delivery/source-file.ts";
import type { DeliveryReport } from "../../pack-builder/delivery-report.ts";
import { isOfThisBuilder, packName } from "../../pack-builder/pack-file.ts";
import { MARKETS } from "../../quality/check-day.ts";
import type { AdminClient } from "../admin-client.ts";
import type { AuctionOutcome } from "../auction-publishing.ts";
import { lackingDatasets } from "../dataset-days.ts";
import { CommandFailure, ServiceRefusal, sentenceOf } from "../exit.ts";
import { openDailyFile, refuseWrongName } from "../file-commands.ts";
import * as option from "../option.ts";
import { buildWithProgress } from "../pack-commands.ts";
import { openPack, type PublishedPack, publishAt } from "../publish-command.ts";
import { addFile, publishFile } from "../uploads.ts";
import { writeWhole } from "../work-folder.ts";
import { type DailyFile, type Delivery, readDelivery } from "./drop-folder.ts";

/** The options of the commands that load deliveries. */
export const LOADING = {
  work: option.text(
    "<folder>",
    "the folder for packs in progress and the state of each day, outside the drop folder (default: <folder>.edgetape beside it)",
  ),
  threads: option.THREADS,
  maxBroken: option.count("maximum number of broken lines in a build (default: one in a million)"),
  force: option.flag("publish even if the service finds the day implausible"),
  keep: option.flag("keep the packs after they are published"),
  ...option.SERVICE,
};

export interface LoadOptions extends Omit<option.Values<typeof LOADING>, "work"> {
  /** The drop folder; nothing outside it is read. */
  folder: string;
  /** The folder for temporary packs, quarantine files and the stored state of each day. */
  workFolder: string;
}

/** Loads the complete `delivery`. Never throws; problems are in the outcome. */
export async function loadDay(client: AdminClient, delivery: Delivery, options: LoadOptions) {
  const { tradedate, fingerprint } = delivery;
  const { workFolder, keep } = options;
  const startedMs = performance.now();
  const { auction, isReusable, ...loaded } = await loadDatasets(client, delivery, options);
  const files: FileOutcome[] = auction === null ? [] : [auction];
  for (const file of delivery.files) files.push(await loadFile(client, delivery, file, options));
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  const outcome = dayOutcome(tradedate, { ...loaded, files, seconds });
  const memory = recallDay(workFolder, tradedate, fingerprint);
  rememberDay(workFolder, tradedate, { ...memory, outcome });
  const isNeeded = isReusable && isRetriedFromPacks(outcome);
  if (!keep && !isNeeded) {
    await removePacks(workFolder, tradedate);
    await rm(join(packFolder(workFolder), auctionPackName(tradedate)), { force: true });
  }
  return outcome;
}

/**
 * Returns whether the day's packs should be kept for the next run: when no dataset is served yet, or when the auction
 * pack could not be published. If only some datasets were refused, the next run builds the day again, because the packs
 * of many days would fill the disk.
 */
function isRetriedFromPacks({ datasets, decided, files }: DayOutcome): boolean {
  const isUnserved = datasets.every(({ state }) => state === "failed") && decided !== true;
  return isUnserved || files.some(({ isMade, problem }) => isMade && problem !== null);
}

function packFolder(workFolder: string): string {
  return join(workFolder, "packs");
}

/** Removes the packs of every dataset of `tradedate`, including datasets that the delivery lacks. */
async function removePacks(workFolder: string, tradedate: BeijingDate): Promise<void> {
  for (const dataset of DATASET_NAMES) {
    await rm(join(packFolder(workFolder), packName(dataset, tradedate)), { force: true });
  }
}

/** The parts of a day's outcome for a delivery that was not built. */
const NOT_BUILT = { lacking: [], sparse: [], leftOut: [] };

/**
 * Builds the packs of the delivery and publishes each separately, so that a refused pack does not delay the others.
 * `isReusable` is true if every pack was built; the next run can then publish the packs without building them again.
 */
async function loadDatasets(client: AdminClient, delivery: Delivery, options: LoadOptions) {
  const { tradedate } = delivery;
  let built: BuiltDelivery;
  try {
    built = await builtDelivery(delivery, options);
  } catch (error) {
    return { ...NOT_BUILT, datasets: [failed("orders", tradedate, error)], auction: null, isReusable: false };
  }
  const { packs, failures, sparse, leftOut } = built;
  const datasets = [...failures];
  let auction: FileOutcome | null = null;
  const { force = false } = options;
  const hasAuction = delivery.files.some(({ dataType }) => dataType === "auction_tick");
  for (const { dataset, path, buildId: _, ...broken } of packs) {
    try {
      const published = await publishAt(client, path, { force, hasAuction, degraded: broken.degraded });
      datasets.push({ ...servedOutcome(dataset, published), ...broken });
      if (published.auction !== null) auction = madeFile(published.auction);
    } catch (error) {
      datasets.push({ ...failed(dataset, tradedate, error), ...broken });
    }
  }
  datasets.sort((a, b) => DATASET_NAMES.indexOf(a.dataset) - DATASET_NAMES.indexOf(b.dataset));
  const delivered = datasets.map(({ dataset }) => dataset);
  // An error is ignored, because publishing the packs has already failed if the service does not answer.
  const lacking = await lackingDatasets(client, delivered).catch(() => []);
  return { datasets, lacking, sparse, leftOut, auction, isReusable: failures.length === 0 };
}

/** Returns the outcome of a delivery that was not loaded because of `problem`, without a final full stop. */
export function incompleteDay(tradedate: BeijingDate, { zh, en }: Bilingual): DayOutcome {
  const orders = failed("orders", tradedate, new CommandFailure(`the delivery is not complete: ${en}`));
  const datasets = [{ ...orders, problemZh: `数据不完整：${zh}` }];
  return dayOutcome(tradedate, { ...NOT_BUILT, datasets, files: [], seconds: 0 });
}

/** Returns the outcome of the whole day. Its revision, rows, securities and size come from the first dataset. */
function dayOutcome(
  tradedate: BeijingDate,
  parts: Pick<DayOutcome, "datasets" | "lacking" | "sparse" | "leftOut" | "files" | "seconds">,
): DayOutcome {
  const { datasets, lacking, leftOut } = parts;
  const [first] = datasets;
  if (first === undefined) throw new Error(`the outcome of ${tradedate} names no dataset`);
  const failures = datasets.filter(({ state }) => state === "failed");
  const [failure] = failures;
  const isNew = datasets.some(({ state }) => state === "published");
  const announced = datasets.flatMap(({ announcedAtMs }) => announcedAtMs ?? []);
  const { revision, rows, securities, sizeBytes } = first;
  return {
    tradedate,
    state: failure !== undefined ? "failed" : isNew ? "published" : "unchanged",
    problem: failure?.problem ?? null,
    problemZh: failure?.problemZh ?? null,
    decided: failure !== undefined && failures.every(({ decided }) => decided === true),
    ...{ revision, rows, securities, sizeBytes },
    announcedAtMs: announced.length === 0 ? null : Math.max(...announced),
    degraded: lacking.length > 0 || leftOut.length > 0 || datasets.some(({ degraded }) => degraded),
    brokenRows: datasets.reduce((sum, { brokenRows }) => sum + brokenRows, 0),
    quarantine: datasets.find(({ quarantine }) => quarantine !== null)?.quarantine ?? null,
    ...parts,
  };
}

function failed(dataset: DatasetName, tradedate: string, error: unknown): DatasetOutcome {
  return {
    dataset,
    state: "failed",
    problem: sentenceOf(error),
    problemZh: CHINESE[reasonOf(error) ?? ""]?.(tradedate) ?? null,
    // A retry would not help, because an operator's decision prevents the publication.
    decided: ["content_withdrawn", "target_withdrawn"].includes(reasonOf(error) ?? ""),
    ...{ revision: null, announcedAtMs: null, rows: 0, securities: 0, sizeBytes: 0 },
    ...{ degraded: false, brokenRows: 0, quarantine: null },
  };
}

/** Returns the day's packs. Builds them unless the packs that an earlier run built from this delivery still exist. */
async function builtDelivery(delivery: Delivery, options: LoadOptions): Promise<BuiltDelivery> {
  const { tradedate, fingerprint } = delivery;
  const { workFolder } = options;
  const memory = recallDay(workFolder, tradedate, fingerprint);
  if (memory.built !== null && (await areThere(memory.built))) return { ...memory.built, failures: [] };
  // The quality check reads every pack of the day in the folder, so packs of an earlier delivery are removed.
  await removePacks(workFolder, tradedate);
  const place = { date: tradedate, out: packFolder(workFolder), root: options.folder };
  const report = await buildWithProgress(delivery.orders, { ...options, ...place, verify: true });
  const built = builtOf(report, delivery);
  if ((await readDelivery(options.folder, tradedate)).mark !== delivery.mark) {
    throw new CommandFailure(
      "The delivery changed while it was read; run the command again when it is complete.",
    );
  }
  // A failed dataset is tried again, because the next run may have other options or other code.
  if (built.failures.length === 0) rememberDay(workFolder, tradedate, { ...memory, built });
  return built;
}

async function areThere({ packs }: Pick<BuiltDelivery, "packs">): Promise<boolean> {
  for (const { path, buildId } of packs) {
    await using pack = await openPack(path).catch(() => null);
    // Another builder version may have read the delivery differently.
    if (pack === null || !isOfThisBuilder(pack) || pack.index.buildId !== buildId) return false;
  }
  return true;
}

/** The packs built from a delivery, and the outcomes of the datasets that were not built. */
type BuiltDelivery = z.infer<typeof builtDeliverySchema> & { failures: DatasetOutcome[] };

function builtOf(report: DeliveryReport, { tradedate, links }: Delivery): BuiltDelivery {
  const leftOut = [
    ...links.map((path) => ({ path: basename(path), reason: "link" as const })),
    ...report.leftOut.filter(({ reason }) => mayHoldRecords(reason)),
  ];
  const failures = report.refused.map(({ dataset, problem }) =>
    failed(dataset, tradedate, new CommandFailure(problem)),
  );
  const built: BuiltDelivery = { packs: [], failures, sparse: report.sparse, leftOut };
  for (const { dataset, pack, buildId, result, broken } of report.packs) {
    const { first, rows: brokenRows, allowed, quarantine } = broken;
    if (pack !== null && buildId !== null) {
      // A pack is already degraded if its build left out files. Links were left out before the build. A link can point
      // to rows of any dataset, so it degrades every pack.
      const degraded = result === "degraded" || links.length > 0;
      built.packs.push({ dataset, path: pack, buildId, degraded, brokenRows, quarantine });
      continue;
    }
    const problem =
      first === null
        ? `No ${DATASETS[dataset].row} of ${tradedate} was found.`
        : `${brokenRows} lines are broken, ${allowed} are allowed; the first is ${placeText(first)}: ${first.reason}.`;
    failures.push({ ...failed(dataset, tradedate, new CommandFailure(problem)), brokenRows, quarantine });
  }
  return built;
}

function servedOutcome(dataset: DatasetName, { day, newRevision }: PublishedPack) {
  const { revision, rows, securities, sizeBytes } = day;
  const state = newRevision ? ("published" as const) : ("unchanged" as const);
  const announcedAtMs = Date.now() + day.announcedInMs;
  const counts = { revision, announcedAtMs, rows, securities, sizeBytes };
  return { dataset, state, problem: null, problemZh: null, ...counts };
}

function madeFile({ name, state, revision, note }: AuctionOutcome): FileOutcome {
  const problem = state === "failed" ? note : null;
  const kept = state === "kept" ? note : null;
  return { dataType: "auction_tick", name, revision, problem, isMade: true, kept };
}

async function loadFile(
  client: AdminClient,
  { tradedate }: Delivery,
  daily: DailyFile,
  { folder, force = false }: LoadOptions,
): Promise<FileOutcome> {
  const { dataType, name, path } = daily;
  const place = { dataType, tradedate, name };
  const outcome = { dataType, name, isMade: false, kept: null };
  try {
    refuseWrongName(place);
    await using file = await openDailyFile(path, place, folder);
    const added = await addFile(client, place, file);
    const { revision } = await publishFile(client, place, { revision: added.revision, force });
    return { ...outcome, revision, problem: null };
  } catch (error) {
    return { ...outcome, revision: null, problem: sentenceOf(error) };
  }
}

/** What went wrong with the data of a day, in Chinese, by the reason of a common refusal. */
const CHINESE: Partial<Record<string, (tradedate: string) => string>> = {
  implausible: (day) => `${day} 的数据量与平常相差太多；核对无误后加 --force 再运行一次`,
  day_repeated: (day) =>
    `${day} 的数据与另一天完全相同，像是同一份数据换了日期；核对无误后加 --force 再运行一次`,
  quality_failed: (day) =>
    `${day} 的数据没有通过质量检查；用 edgetape day quality ${day} 查看，核对无误后加 --force 再运行一次`,
  shrunk: (day) => `${day} 的数据比要替换的修订版本少；核对无误后加 --force 再运行一次`,
  content_withdrawn: (day) => `${day} 的这份数据已被撤回，不再发布；原因见 edgetape day show ${day}`,
  target_withdrawn: (day) => `${day} 已被撤回；如确需发布新数据，加 --force 再运行一次`,
};

function reasonOf(error: unknown): string | undefined {
  return error instanceof ServiceRefusal ? error.refused.reason : undefined;
}

const fileOutcomeSchema = z.object({
  dataType: z.string(),
  name: z.string(),
  revision: z.number().nullable(),
  /** The reason why the file could not be offered, as a sentence, or null. */
  problem: z.string().nullable(),
  /** Whether the file was made from the day's quotes. */
  isMade: z.boolean().default(false),
  /** Why a file made from quotes was deliberately not published, as a sentence, or null. */
  kept: z.string().nullable().default(null),
});

const leftOutSchema = z.object({
  path: z.string(),
  reason: z.enum(Object.keys(LEFT_OUT_TEXTS) as [LeftOutReason, ...LeftOutReason[]]),
});

/** A dataset that has far fewer securities of an exchange than another dataset of the delivery (`than`). */
const sparseSchema = z.object({
  dataset: z.enum(DATASET_NAMES),
  market: z.enum(MARKETS),
  securities: z.number(),
  than: z.object({ dataset: z.enum(DATASET_NAMES), securities: z.number() }),
});

/** The outcome of one dataset of the day. */
const datasetOutcomeSchema = z.object({
  dataset: z.enum(DATASET_NAMES),
  /** `unchanged`: this content was already served. */
  state: z.enum(["published", "unchanged", "failed"]),
  /** The reason why the dataset is not served, as a sentence; null when it is served. */
  problem: z.string().nullable(),
  /** `problem` in Chinese, if available. */
  problemZh: z.string().nullable(),
  /** Whether the dataset is not served because an operator has withdrawn the day. */
  decided: z.boolean().optional(),
  revision: z.number().nullable(),
  /** When the revision is announced to customers, in Unix milliseconds of this machine's clock. */
  announcedAtMs: z.number().nullable().default(null),
  rows: z.number(),
  securities: z.number(),
  sizeBytes: z.number(),
  degraded: z.boolean(),
  /** The number of quarantined lines; `quarantine` is the path of the file that contains them. */
  brokenRows: z.number(),
  quarantine: z.string().nullable(),
});
export type DatasetOutcome = z.infer<typeof datasetOutcomeSchema>;

/**
 * The outcome of a day. `revision`, `rows`, `securities` and `sizeBytes` come from the first dataset. All other fields
 * describe the whole day, even if a dataset's outcome has a field of the same name.
 */
const outcomeSchema = datasetOutcomeSchema.omit({ dataset: true }).extend({
  tradedate: z.string(),
  /** Orders come first. A state stored by an earlier version lacks this field and is ignored. */
  datasets: z.array(datasetOutcomeSchema).min(1),
  /** Datasets that other days have and the delivery lacks. */
  lacking: z.array(z.enum(DATASET_NAMES)),
  /** Datasets that lack most securities of an exchange; absent in states stored by earlier versions. */
  sparse: z.array(sparseSchema).default([]),
  /** Files of the delivery that may hold rows and were not read. */
  leftOut: z.array(leftOutSchema),
  files: z.array(fileOutcomeSchema),
  /** The duration of the run that loaded the day. */
  seconds: z.number(),
});
export type DayOutcome = z.infer<typeof outcomeSchema>;
type FileOutcome = z.infer<typeof fileOutcomeSchema>;

const builtSchema = datasetOutcomeSchema
  .pick({ dataset: true, degraded: true, brokenRows: true, quarantine: true })
  .extend({ path: z.string(), buildId: z.string() });

const builtDeliverySchema = z.object({
  packs: z.array(builtSchema),
  sparse: z.array(sparseSchema).default([]),
  leftOut: z.array(leftOutSchema),
});

const memorySchema = z.object({
  /** The fingerprint of the delivery; the state is not used for a different delivery of the day. */
  fingerprint: z.string(),
  /** The built and verified packs; null unless every pack of the delivery was built. */
  built: builtDeliverySchema.nullable(),
  outcome: outcomeSchema.nullable(),
  /** Events that the webhook has accepted. */
  told: z.array(z.string()),
});
type DayMemory = z.infer<typeof memorySchema>;

/** Returns whether the day and all its files were published. */
export function isWell({ state, files }: DayOutcome): boolean {
  return state !== "failed" && files.every(({ problem }) => problem === null);
}

/** Returns the stored state of `tradedate` in `workFolder`; an empty state if none is stored for this delivery. */
export function recallDay(workFolder: string, tradedate: BeijingDate, fingerprint: string): DayMemory {
  const fresh = { fingerprint, built: null, outcome: null, told: [] };
  const memory = memorySchema.safeParse(parsedJson(storedState(memoryPath(workFolder, tradedate)))).data;
  return memory?.fingerprint === fingerprint ? memory : fresh;
}

/** Returns the text of the file, or an empty text if it cannot be read: what is not known is done again. */
function storedState(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Stores the state atomically. */
export function rememberDay(workFolder: string, tradedate: BeijingDate, memory: DayMemory): void {
  writeWhole(memoryPath(workFolder, tradedate), `${JSON.stringify(memory, null, 2)}\n`);
}

function memoryPath(workFolder: string, tradedate: BeijingDate): string {
  return join(workFolder, "days", `${tradedate}.json`);
}
