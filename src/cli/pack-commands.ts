/** `edgetape pack`: builds, verifies and inspects day packs on disk, without a service. */

import { availableParallelism } from "node:os";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { buildPacks } from "../pack-builder/build.ts";
import { countedText, originLines, placeText } from "../pack-builder/build-report.ts";
import { DeliveryError } from "../pack-builder/delivery/source-file.ts";
import { type DeliveryReport, deliveryLines } from "../pack-builder/delivery-report.ts";
import { inspectPack, type PackSummary } from "../pack-builder/inspect-pack.ts";
import { verifyPack } from "../pack-builder/verify/verify-pack.ts";
import { group, localCommand } from "./command.ts";
import { countText } from "./command-line.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import * as option from "./option.ts";
import { stageProgress } from "./progress.ts";
import { openPack } from "./publish-command.ts";

const build = localCommand("build", {
  says: "build the packs of a day, one for each dataset, from folders, .csv, .txt, .parquet, .gz, .zst, .zip, .7z (also split) and .tar",
  args: { "<delivery...>": "the day's delivery; several folders and files are read as one" },
  options: {
    date: option.day("the trading day").required(),
    out: option.text("<folder>", "the folder for the packs, created if absent").required(),
    dataset: option.dataset("build only this dataset (default: every dataset in the delivery)"),
    maxBroken: option.count("maximum number of broken lines in a pack (default: one in a million)"),
    threads: option.THREADS,
    verify: option.negated("do not verify each pack before it gets its final name"),
    json: option.flag("print the report as JSON"),
  },
  help:
    "\nLinks are not followed. Every file that is not read is named in the report.\n" +
    "Exit status 3: built, but lines that could not be parsed, or files that may hold records, were left out,\n" +
    "or the quality check failed; `edgetape day quality` prints its sheet.\n" +
    "Exit status 1: a pack could not be built; other datasets may have been built.",
  async run({ print }, options, sources: string[]) {
    const report = await buildWithProgress(sources, options);
    print(report, deliveryLines(report));
    refuseFailed(report);
    const isComplete = report.result !== "degraded" && report.quality?.verdict !== "failed";
    if (!isComplete) process.exitCode = EXIT.degraded;
  },
});

interface BuildOptions {
  date: BeijingDate;
  out: string;
  /** Nothing outside this folder is read. */
  root?: string;
  dataset?: DatasetName | undefined;
  maxBroken?: number | undefined;
  threads: number;
  verify: boolean;
}

/** Builds packs with progress on stderr, one line for each dataset. Throws `CommandFailure` for an invalid delivery. */
export async function buildWithProgress(sources: string[], options: BuildOptions): Promise<DeliveryReport> {
  const shown: { dataset?: DatasetName; progress?: ReturnType<typeof stageProgress> } = {};
  const report = await buildPacks({
    sources,
    root: options.root,
    tradedate: options.date,
    outFolder: options.out,
    datasets: options.dataset === undefined ? undefined : [options.dataset],
    maxBroken: options.maxBroken ?? null,
    threads: options.threads,
    verify: options.verify,
    onProgress(shares, dataset) {
      if (shown.dataset !== dataset) {
        shown.progress?.end();
        shown.dataset = dataset;
        shown.progress = stageProgress(`building the ${dataset} of ${options.date}`);
      }
      shown.progress?.update(shares);
    },
  }).catch((error: unknown) => {
    throw error instanceof DeliveryError ? new CommandFailure(error.message) : error;
  });
  shown.progress?.end();
  return report;
}

/** Throws `CommandFailure` with the first reason when a pack of the delivery could not be built. */
export function refuseFailed({ packs, refused, tradedate }: DeliveryReport): void {
  const [contradiction] = refused;
  if (contradiction !== undefined) throw new CommandFailure(contradiction.problem);
  const failed = packs.find(({ result }) => result === "failed");
  if (failed === undefined) return;
  const { first } = failed.broken;
  if (first === null) {
    const { row } = DATASETS[failed.dataset];
    throw new CommandFailure(`no ${row} of ${tradedate} was found; no pack was written.`);
  }
  throw new CommandFailure(`${placeText(first)}: ${first.reason}`);
}

const PACK_ARGUMENT = { "<pack>": "the pack's file" };

const verify = localCommand("verify", {
  says: "check a pack: every checksum, every footer, every row as DuckDB reads it",
  args: PACK_ARGUMENT,
  options: { json: option.AS_JSON },
  help: "\nExit status 1: the pack is damaged; the position is on stderr.",
  async run({ json, print }, _, path: string) {
    const startedMs = performance.now();
    const verified = await verifyPack(path, { threads: availableParallelism() });
    const seconds = (performance.now() - startedMs) / 1000;
    if (!verified.ok) {
      const { refusal } = verified;
      if (json) print({ path, whole: false, ...refusal }, "");
      if (refusal.reason === "unreadable")
        throw new CommandFailure(`${path} cannot be read (${refusal.code}).`);
      throw new CommandFailure(`${path}: ${refusal.difference}`);
    }
    const { rows, index } = verified.value;
    const { dataset, tradedate, buildId, origin } = index;
    const securities = index.entries.length;
    print({ path, whole: true, dataset, tradedate, buildId, securities, rows, origin, seconds }, [
      `${path}: intact. ${tradedate}, ${countedText(securities, "security", "securities")}, ${countText(rows)} ${DATASETS[dataset].rows}, checked in ${seconds.toFixed(1)} s.`,
      ...originLines(origin, rows),
    ]);
  },
});

const inspect = localCommand("inspect", {
  says: "show what a pack contains: securities, rows, times, bytes by column, build id",
  args: PACK_ARGUMENT,
  options: { json: option.AS_JSON },
  async run({ print }, _, path: string) {
    await using pack = await openPack(path);
    const summary = await inspectPack(pack);
    print({ path, ...summary }, summaryLines(summary));
  },
});

export const pack = group("pack", "build, verify and inspect day packs", [build, verify, inspect]);

function summaryLines(summary: PackSummary): string[] {
  const { rows, largest } = summary;
  const perRow = (bytes: number) => `${(bytes / Math.max(1, rows)).toFixed(2)} B/row`;
  return [
    `dataset     ${summary.dataset}`,
    `day         ${summary.tradedate}, ${clock(summary.firstTime)} to ${clock(summary.lastTime)}`,
    `build id    ${summary.buildId}`,
    ...originLines(summary.origin, rows),
    `securities  ${summary.securities} (${summary.securitiesWithoutOrders} without ${DATASETS[summary.dataset].rows})`,
    `rows        ${rows} in ${summary.rowGroups} row groups`,
    `bytes       ${summary.sizeBytes} (${perRow(summary.sizeBytes)})`,
    ...Object.entries(summary.columnBytes).map(
      ([name, bytes]) => `  ${name.padEnd(18)}${String(bytes).padStart(14)}  ${perRow(bytes)}`,
    ),
    `  ${"index".padEnd(18)}${String(summary.indexBytes).padStart(14)}`,
    `  ${"global footer".padEnd(18)}${String(summary.footerBytes).padStart(14)}`,
    ...(largest === null
      ? []
      : [`largest     ${largest.code}, ${largest.rows} rows, ${largest.sizeBytes} bytes`]),
  ];
}

/** Formats HHMMSSmmm as HH:MM:SS.mmm. */
function clock(time: string): string {
  return `${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4, 6)}.${time.slice(6)}`;
}
