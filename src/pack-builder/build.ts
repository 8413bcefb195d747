/**
 * Builds a day pack of each dataset from a delivery. A file with one security is parsed and written as that security's
 * section; each thread handles one such file at a time. Files with many securities are first cut into chunks, whose
 * rows are stored on disk by security. Memory holds only a few chunks, however large the day is.
 */
import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { auctionPackName } from "../auction/columns.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { Market } from "../orders/record.ts";
import type { DayIndex, SectionEntry } from "../packs/layout.ts";
import type { PackOrigin } from "../packs/origin.ts";
import { isIndex } from "../quality/security-kind.ts";
import { sheetSummary } from "../quality/sheet-text.ts";
import { countsOf, originOf, sourceRecords } from "./accounting.ts";
import { auctionFileAt, writeAuctionPack } from "./auction-pack.ts";
import { BUILD_STAGES, BuildProgress, type StageShares } from "./build-progress.ts";
import type { BuildReport } from "./build-report.ts";
import {
  type CheckedDay,
  type CheckedFolder,
  checkDay,
  sheetName,
  sheetPageName,
  writeSheet,
} from "./check-packs.ts";
import { DefectBook } from "./defect-book.ts";
import { type DatasetFile, type DatasetFiles, findDatasetFiles } from "./delivery/dataset-files.ts";
import { type Delivery, openDelivery } from "./delivery/delivery.ts";
import { DeliveryError, type LeftOutFile, leftOutText, mayHoldRecords } from "./delivery/source-file.ts";
import {
  type DayAuction,
  type DayQuality,
  type DeliveryReport,
  deliveryReport,
  type RefusedDataset,
  shortfallsOf,
} from "./delivery-report.ts";
import { Intake } from "./intake.ts";
import { putAside } from "./mixed-files.ts";
import { differenceIn, openPackFile, packName } from "./pack-file.ts";
import { FileSink } from "./pack-sink.ts";
import { PackWriter } from "./pack-writer.ts";
import { securityKey } from "./parse/security-cell.ts";
import { Quarantine } from "./quarantine.ts";
import { sectionsOf } from "./sections.ts";
import { type Turnovers, type Units, unitProblem, unitsOf } from "./unit-check.ts";
import { WorkFolder } from "./work-folder.ts";
import { type DatasetPool, WorkerPool } from "./worker-pool.ts";

/** A build tolerates one broken line in this many rows. */
const ROWS_PER_BROKEN = 1_000_000;

/** The size of the chunk that a thread parses: enough for long runs of one security, and several fit in memory. */
const CHUNK_BYTES = 64 * 1024 * 1024;

/** A pack of at least this many rows is verified by new threads, because the threads that built it hold much memory. */
const RENEWED_ROWS = 10_000_000;

export interface BuildOptions {
  /** The dataset whose pack is built; orders when absent. */
  dataset?: DatasetName;
  /** Folders, archives or files. */
  sources: readonly string[];
  /**
   * The folder that contains all sources; set when a program, not an operator, chose the sources. A source is refused
   * if its path has a link below this folder.
   */
  root?: string | undefined;
  tradedate: BeijingDate;
  /** The folder for the pack, created if absent. `packName` names the file. */
  outFolder: string;
  /** The maximum total of broken lines and files; `null` allows one for every million rows. */
  maxBroken: number | null;
  /** Number of worker threads; 0 uses the calling thread. */
  threads: number;
  /**
   * Whether the pack is read back and compared before it gets its final name. In `buildPacks`, also whether the quality
   * check runs.
   */
  verify: boolean;
  /** Size of a chunk in bytes. */
  chunkBytes?: number;
  /** Called with the progress of the stages, many times a second. */
  onProgress: (shares: StageShares) => void;
}

/**
 * Builds one pack and returns the report. When a build is killed, a previous pack stays unchanged. Throws
 * `DeliveryError` for a delivery that cannot be built.
 */
export async function buildPack(options: BuildOptions): Promise<BuildReport> {
  const one = { ...options, dataset: options.dataset ?? "orders" };
  return opened(one, async (delivery) => (await buildFound(one, delivery, await find(one, delivery))).report);
}

export interface DeliveryOptions extends Omit<BuildOptions, "dataset" | "onProgress"> {
  /** The datasets whose packs are built; when absent, every dataset that has a file in the delivery. */
  datasets?: readonly DatasetName[] | undefined;
  /** Called with the progress of a dataset's stages, many times a second. */
  onProgress: (shares: StageShares, dataset: DatasetName) => void;
}

/**
 * Builds a pack of each dataset, in the order of `DATASET_NAMES`, and returns one report. The quality check runs while
 * the last pack is verified, because the verification keeps little more than one processor busy. A dataset that cannot
 * be built, for example because its files contradict each other, is listed in the report under `refused` and does not
 * stop the others. Throws `DeliveryError` when no pack can be built. When trades and quotes have different units, removes
 * all packs and throws `DeliveryError`.
 */
export async function buildPacks({
  datasets,
  onProgress,
  ...options
}: DeliveryOptions): Promise<DeliveryReport> {
  const { outFolder, tradedate } = options;
  const wanted = DATASET_NAMES.filter((name) => datasets?.includes(name) ?? true);
  const of = (dataset: DatasetName, beside?: OneDataset["beside"]): OneDataset => ({
    ...options,
    dataset,
    onProgress: (shares) => onProgress(shares, dataset),
    beside: dataset === wanted.at(-1) ? beside : undefined,
  });
  return opened(of("orders"), async (delivery) => {
    const { pool } = delivery;
    const built: BuiltPack[] = [];
    const refused: RefusedDataset[] = [];
    const skipped: LeftOutFile[][] = [];
    let day: CheckedDay | undefined;
    for (const dataset of wanted) {
      const check = async (partial: string) => {
        const unnamed = { [dataset]: partial };
        // If this fails, the day is checked again after the build, which reports the failure.
        day = await checkDay(outFolder, tradedate, { pool, unnamed }).catch(() => undefined);
      };
      try {
        const found = await find(of(dataset), delivery);
        if (datasets === undefined && !isThere(found)) skipped.push(unreadIn(found));
        else built.push(await buildFound(of(dataset, check), delivery, found));
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        refused.push({ dataset, problem: error.message });
      }
    }
    const [first] = refused;
    if (built.length === 0 && first !== undefined) throw new DeliveryError(first.problem);
    // No dataset has a readable file. A build of orders gives the reason: it throws, or returns a failed report.
    if (built.length === 0)
      built.push(await buildFound(of("orders"), delivery, await find(of("orders"), delivery)));
    const packs = built.map(({ report }) => report);
    const units = await rightUnits(built);
    const checked = await checkedOf(options, packs, pool, day);
    const quality = checked === null ? null : qualityOf(checked);
    const auction = await auctionOf(options, packs);
    return deliveryReport(tradedate, { wanted, packs, refused, skipped, units, quality, auction });
  });
}

/** Compares the units of trades and quotes. Removes all packs and throws `DeliveryError` when the units differ. */
async function rightUnits(built: readonly BuiltPack[]): Promise<Units> {
  const turnovers = (name: DatasetName): Turnovers =>
    built.find(({ report }) => report.dataset === name && report.pack !== null)?.turnovers ?? new Map();
  const units = unitsOf(turnovers("trades"), turnovers("quotes"));
  const problem = unitProblem(units);
  if (problem === null) return units;
  for (const { report } of built) if (report.pack !== null) await rm(report.pack, { force: true });
  throw new DeliveryError(problem);
}

/**
 * Writes the auction pack next to the quote pack. If another kind of file has the auction pack's name, keeps that file
 * and returns only its path. Returns `null` if there is no quote pack or no security has an auction.
 */
async function auctionOf(
  { tradedate, outFolder }: Pick<BuildOptions, "tradedate" | "outFolder">,
  packs: readonly BuildReport[],
): Promise<DayAuction | null> {
  const quotes = packs.find(({ dataset }) => dataset === "quotes")?.pack ?? null;
  if (quotes === null) return null;
  const opened = await openPackFile(quotes, ["quotes"]);
  if (!opened.ok) throw new Error(`${quotes}: ${differenceIn(opened.refusal)}`);
  const pack = opened.value;
  const path = join(outFolder, auctionPackName(tradedate));
  try {
    return (await auctionFileAt(path, pack)) === "foreign" ? { path } : await writeAuctionPack(pack, path);
  } finally {
    await pack.close();
  }
}

/**
 * Writes the quality sheet of the day's packs; checks them first unless `day` holds the result. Returns `null` when
 * `verify` is off or no pack was built.
 */
async function checkedOf(
  { tradedate, outFolder, verify }: Omit<BuildOptions, "dataset" | "onProgress">,
  packs: readonly BuildReport[],
  pool: WorkerPool,
  day: CheckedDay | undefined,
): Promise<CheckedFolder | null> {
  // When the build of a dataset fails, the folder may hold its pack from an earlier build. The new shortfalls do not
  // describe that pack.
  const written = packs.filter(({ pack }) => pack !== null);
  if (!verify || written.length === 0) return null;
  const shortfalls = Object.fromEntries(written.map((pack) => [pack.dataset, shortfallsOf(pack, packs)]));
  const checked = day ?? (await checkDay(outFolder, tradedate, { pool }));
  // The threads have no more work. Writing the sheet of a whole market can use their memory.
  await pool.close();
  return writeSheet(outFolder, tradedate, checked, shortfalls);
}

function qualityOf({ sheet, path, page }: CheckedFolder): DayQuality {
  return { verdict: sheet.verdict, sheet: path, page, summary: sheetSummary(sheet) };
}

interface OpenedDelivery {
  delivery: Delivery;
  work: WorkFolder;
  pool: WorkerPool;
}

async function opened<T>(
  { tradedate, outFolder, sources, root, threads }: BuildOptions,
  use: (opened: OpenedDelivery) => Promise<T>,
): Promise<T> {
  const work = await WorkFolder.create(outFolder, tradedate);
  const pool = new WorkerPool(threads);
  pool.start();
  let delivery: Delivery | undefined;
  try {
    const real = await realpath(outFolder);
    const ownOutputs = DATASET_NAMES.flatMap((dataset) =>
      [packName(dataset, tradedate), quarantineName(dataset, tradedate)].map((name) => join(real, name)),
    );
    for (const name of [auctionPackName, sheetName, sheetPageName])
      ownOutputs.push(join(real, name(tradedate)));
    delivery = await openDelivery(sources, { work, ownOutputs, root });
    return await use({ delivery, work, pool });
  } finally {
    await pool.close();
    await delivery?.close();
    await work.close();
  }
}

interface OneDataset extends BuildOptions {
  dataset: DatasetName;
  /** Runs while the pack at this temporary path is verified. It must not fail. */
  beside?: ((partial: string) => Promise<void>) | undefined;
}

/** The files of one dataset in a delivery. */
interface Found {
  files: DatasetFiles;
  defects: DefectBook;
}

async function find({ dataset, tradedate }: OneDataset, { delivery, work }: OpenedDelivery): Promise<Found> {
  const defects = new DefectBook(dataset);
  return { files: await findDatasetFiles(delivery, { dataset, tradedate, work, defects }), defects };
}

/**
 * Returns whether the delivery has a readable file of the dataset. Unreadable files do not count, because they can hold
 * any dataset.
 */
function isThere({ files }: Found): boolean {
  return files.files.some(({ problem }) => problem === undefined);
}

/** Returns the files that were not read for a dataset. Call it only for a dataset without a readable file. */
function unreadIn({ files: { files, leftOut } }: Found): LeftOutFile[] {
  return [...leftOut, ...files.map(({ file: { path } }) => ({ path, reason: "unreadable" as const }))];
}

/** The report on a pack, and the turnover of each security. */
interface BuiltPack {
  report: BuildReport;
  turnovers: Turnovers;
}

async function buildFound(
  options: OneDataset,
  { delivery, work, pool }: OpenedDelivery,
  { files, defects }: Found,
): Promise<BuiltPack> {
  const { dataset, tradedate } = options;
  refuseNothing(files, options);
  const folder = work.next();
  await mkdir(folder);
  const own = pool.ofDataset({ dataset, tradedate, folder });
  const build = new Build(options, { delivery, files, defects, pool: own, work });
  return { report: await build.run(), turnovers: build.turnovers };
}

function quarantineName(dataset: DatasetName, tradedate: BeijingDate): string {
  return `${tradedate}${DATASETS[dataset].fileSuffix}.quarantine.csv`;
}

function refuseNothing({ files, withoutFile, leftOut }: DatasetFiles, { dataset, tradedate }: OneDataset) {
  if (files.length > 0 || withoutFile.length > 0) return;
  const unread = leftOut.find(({ reason }) => mayHoldRecords(reason)) ?? leftOut[0];
  if (unread?.reason === "other_day") {
    throw new DeliveryError(
      `no file has rows of ${tradedate}; for example, ${unread.path} is from another day`,
    );
  }
  const met =
    unread === undefined
      ? "there are no files"
      : unread.reason === "unknown_layout"
        ? `the first file is ${unread.path}`
        : `${unread.path} ${leftOutText(unread.reason, dataset)}`;
  throw new DeliveryError(`no ${DATASETS[dataset].row} file of a known layout was found; ${met}`);
}

/** The inputs and folders of a build. */
interface Opened {
  delivery: Delivery;
  files: DatasetFiles;
  defects: DefectBook;
  pool: DatasetPool;
  work: WorkFolder;
}

class Build {
  readonly turnovers = new Map<number, number>();
  private readonly options: OneDataset;
  private readonly files: DatasetFiles;
  private readonly defects: DefectBook;
  private readonly pool: DatasetPool;
  private readonly delivery: Delivery;
  private readonly work: WorkFolder;
  private readonly quarantine: Quarantine;
  private readonly chunkBytes: number;
  private readonly intake: Intake;
  private readonly progress: BuildProgress;
  private readonly startedMs = performance.now();
  private readonly fingerprints: number[] = [];
  private stored = 0;
  private cancels = 0;

  constructor(options: OneDataset, { delivery, files, defects, pool, work }: Opened) {
    this.options = options;
    this.delivery = delivery;
    this.files = files;
    this.defects = defects;
    this.pool = pool;
    this.work = work;
    const quarantine = join(options.outFolder, quarantineName(options.dataset, options.tradedate));
    this.quarantine = new Quarantine(quarantine, work.next(".csv"));
    this.chunkBytes = options.chunkBytes ?? CHUNK_BYTES;
    this.intake = new Intake(defects, this.quarantine, this.chunkBytes);
    const stages = BUILD_STAGES.filter((stage) => options.verify || stage !== "verify");
    this.progress = new BuildProgress(stages, options.onProgress);
  }

  async run(): Promise<BuildReport> {
    const { dataset, tradedate, outFolder } = this.options;
    const path = join(outFolder, packName(dataset, tradedate));
    const sink = await FileSink.create(path, {
      partial: this.work.next(".parquet"),
      check: (partial) => this.verify(partial),
    });
    try {
      const writer = new PackWriter(tradedate, sink, dataset);
      await this.writeSections(writer);
      await this.delivery.check();
      await this.intake.quarantineFiles(this.files.files);
      await this.quarantine.finish();
      if (this.quarantine.count + this.quarantine.files > this.allowed() || this.stored === 0) {
        await sink.discard();
        return this.report(null);
      }
      return this.report({ path, ...(await writer.finish(await this.origin())) });
    } catch (error) {
      await sink.discard();
      throw error;
    }
  }

  private async writeSections(writer: PackWriter): Promise<void> {
    const { files, pool, intake, options, progress } = this;
    const context = {
      dataset: DATASETS[options.dataset],
      tradedate: options.tradedate,
      pool,
      intake,
      progress,
    };
    const isSingle = ({ security, file }: DatasetFile) =>
      security !== null && file.sizeBytes <= this.chunkBytes;
    const single = files.files.filter(isSingle);
    const totalBytes = files.files.reduce((sum, { file }) => sum + file.sizeBytes, 0);
    const timer = setInterval(() => progress.report("read", intake.sourceBytes, totalBytes), 200);
    try {
      const mixed = files.files.filter((file) => !isSingle(file));
      const aside = await putAside(mixed, context);
      progress.report("read", intake.sourceBytes, totalBytes);
      // A large single-security file without rows has no extents, so its security is added here.
      const bigSecurities = mixed.flatMap(({ security }) => security ?? []);
      const sources = { single, aside, withoutOrders: [...files.withoutFile, ...bigSecurities] };
      for await (const { section, cancels, fingerprint, turnover } of sectionsOf(sources, context)) {
        await writer.append(section);
        const { symbol, market, rows } = section.entry;
        this.stored += rows;
        this.turnovers.set(securityKey(symbol, market), turnover);
        this.cancels += cancels;
        this.fingerprints.push(fingerprint);
      }
    } finally {
      clearInterval(timer);
    }
    progress.report("read", totalBytes, totalBytes);
    progress.report("write", 1, 1);
  }

  private async origin(): Promise<PackOrigin> {
    const { files, leftOut } = this.files;
    const delivered = files
      .filter((file) => !this.intake.isRefused(file))
      .flatMap(({ file }) => [file.delivered, ...(file.delivered.volumes ?? [])]);
    return originOf(await sourceRecords(delivered, this.intake.sums), {
      rows: { ...this.intake.accounted, quarantined: this.quarantine.count },
      files: {
        read: files.length - this.quarantine.files,
        quarantined: this.quarantine.files,
        leftOut: countsOf(leftOut.map(({ reason }) => reason)),
      },
    });
  }

  /** Returns how many broken lines and files the build tolerates. */
  private allowed(): number {
    return this.options.maxBroken ?? Math.floor(this.intake.accounted.read / ROWS_PER_BROKEN);
  }

  private async verify(partial: string): Promise<void> {
    if (!this.options.verify) return;
    if (this.stored >= RENEWED_ROWS) await this.pool.renew();
    const verified = this.pool.verify(partial, {
      fingerprints: this.fingerprints,
      threads: Math.max(1, this.options.threads),
      scratch: this.work.path,
      onProgress: (share) => this.progress.report("verify", share, 1),
    });
    const beside = this.options.beside?.(partial);
    const refusal = await verified.finally(() => beside);
    if (refusal === null) return;
    throw new Error(`the pack differs from the rows read from the delivery: ${differenceIn(refusal)}`);
  }

  /** Returns how many securities of an exchange have rows. In quotes, halted securities and indices do not count. */
  private traded(wanted: Market, entries: readonly SectionEntry[]): number {
    const isTraded = ({ symbol, market }: SectionEntry) =>
      this.options.dataset !== "quotes" ||
      (!isIndex({ symbol, market }) && (this.turnovers.get(securityKey(symbol, market)) ?? 0) > 0);
    return entries.filter((entry) => entry.market === wanted && entry.rows > 0 && isTraded(entry)).length;
  }

  private report(pack: { path: string; index: DayIndex; sizeBytes: number } | null): BuildReport {
    const { intake, quarantine, files, options } = this;
    const seconds = (performance.now() - this.startedMs) / 1000;
    const entries = pack?.index.entries ?? [];
    const isUnread = files.leftOut.some(({ reason }) => mayHoldRecords(reason));
    const isBroken = quarantine.count + quarantine.files > 0;
    const degraded = isBroken || isUnread ? "degraded" : "whole";
    return {
      dataset: options.dataset,
      tradedate: options.tradedate,
      result: pack === null ? "failed" : degraded,
      pack: pack?.path ?? null,
      buildId: pack?.index.buildId ?? null,
      origin: pack?.index.origin ?? null,
      securities: entries.length,
      securitiesWithoutOrders: entries.filter(({ rows }) => rows === 0).length,
      traded: { SH: this.traded("SH", entries), SZ: this.traded("SZ", entries) },
      rows: this.stored,
      cancels: this.cancels,
      packBytes: pack?.sizeBytes ?? 0,
      sourceBytes: intake.sourceBytes,
      verified: pack !== null && options.verify,
      seconds,
      rowsPerSecond: this.stored / seconds,
      layouts: intake.layouts,
      defects: this.defects.list(),
      broken: {
        rows: quarantine.count,
        files: quarantine.files,
        allowed: this.allowed(),
        first: quarantine.first,
        quarantine: isBroken ? quarantine.path : null,
      },
      leftOut: files.leftOut,
    };
  }
}
