/** `edgetape rebuild`: rebuilds a day from its delivery and publishes it. */
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import type { BeijingDate } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { type DeliveryReport, deliveryLines } from "../pack-builder/delivery-report.ts";
import { auctionText, refuseFailedAuction } from "./auction-publishing.ts";
import {
  countArgument,
  datasetOption,
  dateArgument,
  serviceCommand,
  serviceOf,
  versionArgument,
} from "./command-line.ts";
import { type DatasetOptions, datasetsOf, lackingDatasets, lackingText, loadedDays } from "./dataset-days.ts";
import { builtBefore } from "./day-commands.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { namedDeliveries } from "./nightly/drop-folder.ts";
import { buildWithProgress, refuseFailed } from "./pack-commands.ts";
import {
  type PublishCommandOptions,
  type PublishedPack,
  publishAt,
  publishEach,
  refuseUnpublished,
} from "./publish-command.ts";

interface RebuildOptions extends PublishCommandOptions, DatasetOptions {
  date?: BeijingDate;
  affected?: boolean;
  from?: string;
  builtBefore?: string;
  out: string;
  maxBroken?: number;
  threads: number;
}

/** The options for one day. With `root`, nothing outside that folder is read. */
type DayOptions = RebuildOptions & { date: BeijingDate; root?: string };

/** Registers `rebuild`. */
export function registerRebuild(program: Command): void {
  serviceCommand(program, "rebuild")
    .description(
      "build a day from its delivery and publish each dataset in it as the day's next revision, in one step",
    )
    .argument("[delivery...]", "the day's delivery; several folders and files are read as one")
    .option("--date <YYYYMMDD>", "the trading day", dateArgument)
    .addOption(datasetOption("build only this dataset (default: every dataset in the delivery)"))
    .option(
      "--affected",
      "rebuild every loaded day whose pack was built by an earlier version, from its delivery in --from",
    )
    .option("--from <folder>", "with --affected: the folder with the deliveries, as for `backfill`")
    .option(
      "--built-before <version>",
      "with --affected: rebuild only days built by a version earlier than <version> (default: the service's version)",
      versionArgument,
    )
    .requiredOption("--out <folder>", "the folder for the packs and quarantined lines, created if absent")
    .option("--max-broken <count>", "maximum number of broken lines in a pack", countArgument)
    .option("--threads <count>", "worker threads; 0 for none", countArgument, availableParallelism())
    .option(
      "--force",
      "publish even if the quality check failed, or the service finds the day implausible or smaller than before",
    )
    .addHelpText(
      "after",
      "\nWith --affected, each delivery is built as a whole, because its datasets are compared with each other; only the\n" +
        "affected ones are published. Withdrawn days are listed and not rebuilt, even with --force. Packs of datasets that the\n" +
        "day does not have at the service are listed and not published.\n" +
        "Exit status 3: published, but rows were left out, or a dataset is missing that other days have.",
    )
    .action(run);
}

async function run(sources: string[], options: RebuildOptions): Promise<void> {
  const { date, affected = false, from } = options;
  if (affected) {
    if (from === undefined || date !== undefined || sources.length > 0) {
      throw new CommandFailure(
        "--affected needs --from <folder>, and accepts neither a delivery nor --date.",
        EXIT.usage,
      );
    }
    return rebuildAffected(from, options);
  }
  if (date === undefined || sources.length === 0) {
    throw new CommandFailure("Give a delivery with --date, or --affected with --from <folder>.", EXIT.usage);
  }
  await rebuild(sources, { ...options, date });
}

/**
 * Rebuilds and publishes a day. Downloads in progress finish on the old object. Cursors of the old revision are refused
 * with `data_rebuilt`.
 */
async function rebuild(sources: string[], options: DayOptions): Promise<void> {
  const report = await build(sources, options);
  const delivered = [...report.packs, ...report.refused].map(({ dataset }) => dataset);
  // Asked before anything is published, so that an error here does not hide which packs were published.
  const lacking = options.dataset === undefined ? await lackingDatasets(serviceOf(options), delivered) : [];
  const packs = report.packs.flatMap(({ dataset, pack }) =>
    pack === null ? [] : { called: pack, publish: () => publishBuilt(report, dataset, options) },
  );
  const { published, failures } = await publishEach(packs, options, {
    answer: { lacking },
    lines: lacking.map((dataset) => `${options.date} is degraded: ${lackingText(dataset).en}.`),
  });
  refuseUnpublished(failures, options);
  refuseFailed(report);
  refuseFailedAuction(published);
  if (report.result === "degraded" || lacking.length > 0) process.exitCode = EXIT.degraded;
}

/** Builds a delivery, and prints the report on stderr. */
async function build(sources: string[], options: DayOptions): Promise<DeliveryReport> {
  const report = await buildWithProgress(sources, { ...options, verify: true });
  console.error(deliveryLines(report).join("\n"));
  return report;
}

/** Rebuilds days in sequence. A day or dataset that fails is named and does not stop the others. */
async function rebuildAffected(folder: string, options: RebuildOptions): Promise<void> {
  const deliveries = await namedDeliveries(folder);
  const { affected, version } = await affectedDays(options);
  const left: string[] = [];
  const unloaded: string[] = [];
  for (const [date, packs] of affected) {
    const { orders: sources } = deliveries.get(date) ?? { orders: [] };
    const wanted: DatasetName[] = [];
    for (const { dataset, state } of packs) {
      const called = dayName(date, dataset);
      if (state === "withdrawn") left.push(`${called}: it is withdrawn`);
      else if (sources.length === 0) left.push(`${called}: its delivery is not in ${folder}`);
      else wanted.push(dataset);
    }
    if (wanted.length > 0) {
      const result = await rebuildDatasets(sources, wanted, { ...options, date, root: folder });
      left.push(...result.left);
      unloaded.push(...result.unloaded);
    }
  }
  const count = [...affected.values()].flat().length;
  const rebuilt = `${count - left.length} of ${count} packs built by a version before ${version} were rebuilt`;
  // These lines follow the output about the rebuilt packs.
  for (const line of unloaded) console.error(`built, not published: ${line}`);
  for (const line of left) console.error(`not rebuilt: ${line}`);
  if (left.length > 0) throw new CommandFailure(`${rebuilt}; ${left.length} were not.`);
  console.error(`${rebuilt}.`);
}

/** Returns the loaded packs built by a version before `version`, by day, oldest first. */
async function affectedDays(options: RebuildOptions) {
  const affected = new Map<BeijingDate, { dataset: DatasetName; state: string }[]>();
  let before = "";
  for (const dataset of datasetsOf(options)) {
    const { days, version } = await builtBefore(options, options.builtBefore, dataset);
    before = version;
    for (const { tradedate, state } of days) {
      affected.set(tradedate, [...(affected.get(tradedate) ?? []), { dataset, state }]);
    }
  }
  const sorted = [...affected].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { affected: new Map(sorted), version: before };
}

/**
 * Builds the whole delivery of a day, because its datasets are checked against each other, and publishes only `wanted`.
 * `left` has a line for each wanted dataset that was not rebuilt. `unloaded` has the lines of `unloadedPacks`; it is
 * empty with `--dataset`.
 */
async function rebuildDatasets(
  sources: string[],
  wanted: readonly DatasetName[],
  options: DayOptions,
): Promise<{ left: string[]; unloaded: string[] }> {
  let report: DeliveryReport;
  let unloaded: string[];
  try {
    report = await build(sources, { ...options, dataset: undefined });
    unloaded = options.dataset === undefined ? await unloadedPacks(report, options) : [];
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const left = wanted.map((dataset) => `${dayName(options.date, dataset)}: ${error.message}`);
    return { left, unloaded: [] };
  }
  const packs = wanted.map((dataset) => ({
    called: dayName(options.date, dataset),
    publish: () => publishBuilt(report, dataset, options),
  }));
  const { published, failures } = await publishEach(packs, options, { answer: { lacking: [] } });
  const left = failures.map(({ called, error }) => {
    if (!(error instanceof CommandFailure)) throw error;
    return `${called}: ${error.message}`;
  });
  for (const { day, auction } of published) {
    if (auction?.state === "failed") left.push(`${dayName(options.date, "quotes")}: ${auctionText(auction)}`);
    if (day.degraded || report.result === "degraded") process.exitCode = EXIT.degraded;
  }
  return { left, unloaded };
}

/** Returns a line for each built pack whose dataset was never loaded for this day. */
async function unloadedPacks({ packs }: DeliveryReport, options: DayOptions): Promise<string[]> {
  const lines: string[] = [];
  for (const { dataset, pack } of packs) {
    if (pack === null || (await loadedDays(serviceOf(options), dataset)).includes(options.date)) continue;
    lines.push(
      `${pack}: no ${DATASETS[dataset].rows} of ${options.date} are loaded; \`edgetape publish\` loads them.`,
    );
  }
  return lines;
}

/** Publishes the pack of `dataset`. Throws `CommandFailure` when no such pack was built. */
async function publishBuilt(
  report: DeliveryReport,
  dataset: DatasetName,
  options: RebuildOptions,
): Promise<PublishedPack> {
  const isOf = (each: { dataset: DatasetName }) => each.dataset === dataset;
  const packs = report.packs.filter(isOf);
  refuseFailed({ ...report, packs, refused: report.refused.filter(isOf) });
  const [built] = packs;
  if (!built?.pack) throw new CommandFailure(`${lackingText(dataset).en}.`);
  const degraded = built.result === "degraded";
  return publishAt(serviceOf(options), built.pack, { force: options.force ?? false, degraded });
}
