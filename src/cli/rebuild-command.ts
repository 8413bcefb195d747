/** `edgetape rebuild`: rebuilds a day from its delivery and publishes it. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { type DeliveryReport, deliveryLines } from "../pack-builder/delivery-report.ts";
import { auctionText, refuseFailedAuction } from "./auction-publishing.ts";
import { type Call, command } from "./command.ts";
import { datasetsOf, lackingDatasets, lackingText, loadedDays } from "./dataset-days.ts";
import { builtBefore } from "./day-commands.ts";
import { CommandFailure, EXIT, UsageFailure } from "./exit.ts";
import { namedDeliveries } from "./nightly/drop-folder.ts";
import * as option from "./option.ts";
import { buildWithProgress, refuseFailed } from "./pack-commands.ts";
import { type PublishedPack, publishAt, publishEach, refuseUnpublished } from "./publish-command.ts";

const OPTIONS = {
  date: option.day("the trading day"),
  dataset: option.dataset("build only this dataset (default: every dataset in the delivery)"),
  affected: option.flag(
    "rebuild every loaded day whose pack was built by an earlier version, from its delivery in --from",
  ),
  from: option.text("<folder>", "with --affected: the folder with the deliveries, as for `backfill`"),
  builtBefore: option.version(
    "with --affected: rebuild only days built by a version earlier than <version> (default: the service's version)",
  ),
  out: option
    .text("<folder>", "the folder for the packs and quarantined lines, created if absent")
    .required(),
  maxBroken: option.count("maximum number of broken lines in a pack"),
  threads: option.THREADS,
  force: option.flag(
    "publish even if the quality check failed, or the service finds the day implausible or smaller than before",
  ),
};

type RebuildOptions = option.Values<typeof OPTIONS>;

/** The options for one day. With `root`, nothing outside that folder is read. */
type DayOptions = RebuildOptions & { date: BeijingDate; root?: string };

export const rebuild = command("rebuild", {
  says: "build a day from its delivery and publish each dataset in it as the day's next revision, in one step",
  args: { "[delivery...]": "the day's delivery; several folders and files are read as one" },
  options: OPTIONS,
  help:
    "\nWith --affected, each delivery is built as a whole, because its datasets are compared with each other; only the\n" +
    "affected ones are published. Withdrawn days are listed and not rebuilt, even with --force. Packs of datasets that the\n" +
    "day does not have at the service are listed and not published.\n" +
    "Exit status 3: published, but rows were left out, or a dataset is missing that other days have.",
  async run(call, options, sources: string[]) {
    const { date, affected, from } = options;
    if (affected) {
      if (from === undefined || date !== undefined || sources.length > 0) {
        throw new UsageFailure(
          "--affected needs --from <folder>, and accepts neither a delivery nor --date.",
        );
      }
      return rebuildAffected(call, from, options);
    }
    if (date === undefined || sources.length === 0) {
      throw new UsageFailure("Give a delivery with --date, or --affected with --from <folder>.");
    }
    await rebuildDay(call, sources, { ...options, date });
  },
});

/** Rebuilds and publishes a day. Cursors of the old revision are refused with `data_rebuilt`. */
async function rebuildDay(call: Call, sources: string[], options: DayOptions): Promise<void> {
  const report = await build(sources, options);
  const delivered = [...report.packs, ...report.refused].map(({ dataset }) => dataset);
  // This request precedes all publishing, so that its failure cannot hide which packs were published.
  const lacking = options.dataset === undefined ? await lackingDatasets(call.client, delivered) : [];
  const packs = report.packs.flatMap(({ dataset, pack }) =>
    pack === null ? [] : { called: pack, publish: () => publishBuilt(call, report, dataset, options) },
  );
  const { published, failures } = await publishEach(packs, call, {
    answer: { lacking },
    lines: lacking.map((dataset) => `${options.date} is degraded: ${lackingText(dataset).en}.`),
  });
  refuseUnpublished(failures, call);
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

/** Rebuilds days in sequence. A day or dataset that fails is reported and does not stop the others. */
async function rebuildAffected(call: Call, folder: string, options: RebuildOptions): Promise<void> {
  const deliveries = await namedDeliveries(folder);
  const { packs: affected, version } = await affectedPacks(call, options);
  const left: string[] = [];
  const unloaded: string[] = [];
  for (const [date, packs] of Map.groupBy(affected, ({ tradedate }) => tradedate)) {
    const { orders: sources } = deliveries.get(date) ?? { orders: [] };
    const wanted: DatasetName[] = [];
    for (const { dataset, state } of packs) {
      const called = dayName(date, dataset);
      if (state === "withdrawn") left.push(`${called}: it is withdrawn`);
      else if (sources.length === 0) left.push(`${called}: its delivery is not in ${folder}`);
      else wanted.push(dataset);
    }
    if (wanted.length > 0) {
      const result = await rebuildDatasets(call, sources, wanted, { ...options, date, root: folder });
      left.push(...result.left);
      unloaded.push(...result.unloaded);
    }
  }
  const count = affected.length;
  const rebuilt = `${count - left.length} of ${count} packs built by a version before ${version} were rebuilt`;
  // These lines follow the output about the rebuilt packs.
  for (const line of unloaded) console.error(`built, not published: ${line}`);
  for (const line of left) console.error(`not rebuilt: ${line}`);
  if (left.length > 0) throw new CommandFailure(`${rebuilt}; ${left.length} were not rebuilt.`);
  console.error(`${rebuilt}.`);
}

/** Returns the loaded packs built by a version before `version`, oldest day first. */
async function affectedPacks({ client }: Call, options: RebuildOptions) {
  const packs: { tradedate: BeijingDate; dataset: DatasetName; state: string }[] = [];
  let before = "";
  for (const dataset of datasetsOf(options)) {
    const { days, version } = await builtBefore(client, options.builtBefore, dataset);
    before = version;
    packs.push(...days.map(({ tradedate, state }) => ({ tradedate, dataset, state })));
  }
  return { packs: packs.toSorted((a, b) => Number(a.tradedate) - Number(b.tradedate)), version: before };
}

/**
 * Builds the whole delivery of a day, because its datasets are checked against each other, and publishes only `wanted`.
 * `left` has a line for each wanted dataset that was not rebuilt. `unloaded` has the lines of `unloadedPacks`; it is
 * empty with `--dataset`.
 */
async function rebuildDatasets(
  call: Call,
  sources: string[],
  wanted: readonly DatasetName[],
  options: DayOptions,
): Promise<{ left: string[]; unloaded: string[] }> {
  let report: DeliveryReport;
  let unloaded: string[];
  try {
    report = await build(sources, { ...options, dataset: undefined });
    unloaded = options.dataset === undefined ? await unloadedPacks(call, report, options) : [];
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const left = wanted.map((dataset) => `${dayName(options.date, dataset)}: ${error.message}`);
    return { left, unloaded: [] };
  }
  const packs = wanted.map((dataset) => ({
    called: dayName(options.date, dataset),
    publish: () => publishBuilt(call, report, dataset, options),
  }));
  const { published, failures } = await publishEach(packs, call, { answer: { lacking: [] } });
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
async function unloadedPacks(
  { client }: Call,
  { packs }: DeliveryReport,
  { date }: DayOptions,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { dataset, pack } of packs) {
    if (pack === null || (await loadedDays(client, dataset)).includes(date)) continue;
    lines.push(
      `${pack}: no ${DATASETS[dataset].rows} of ${date} are loaded; \`edgetape publish\` loads them.`,
    );
  }
  return lines;
}

/** Publishes the pack of `dataset`. Throws `CommandFailure` when no such pack was built. */
async function publishBuilt(
  { client }: Call,
  report: DeliveryReport,
  dataset: DatasetName,
  { force = false }: DayOptions,
): Promise<PublishedPack> {
  const isOf = (each: { dataset: DatasetName }) => each.dataset === dataset;
  const packs = report.packs.filter(isOf);
  refuseFailed({ ...report, packs, refused: report.refused.filter(isOf) });
  const [built] = packs;
  if (!built?.pack) throw new CommandFailure(`${lackingText(dataset).en}.`);
  const degraded = built.result === "degraded";
  return publishAt(client, built.pack, { force, degraded });
}
