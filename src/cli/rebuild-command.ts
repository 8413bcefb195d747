/** `edgetape rebuild`: rebuilds a day from its delivery and publishes it. */
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import type { BeijingDate } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { deliveryLines } from "../pack-builder/delivery-report.ts";
import { refuseFailedAuction } from "./auction-publishing.ts";
import {
  countArgument,
  datasetOption,
  dateArgument,
  print,
  serviceCommand,
  serviceOf,
  versionArgument,
} from "./command-line.ts";
import { datasetsOf, lackingDatasets, lackingText } from "./dataset-days.ts";
import { builtBefore } from "./day-commands.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { namedDeliveries } from "./nightly/drop-folder.ts";
import { buildWithProgress, refuseFailed } from "./pack-commands.ts";
import {
  type PublishCommandOptions,
  publishAt,
  publishEach,
  publishedLines,
  refuseUnpublished,
} from "./publish-command.ts";

interface RebuildOptions extends PublishCommandOptions {
  date?: BeijingDate;
  dataset?: DatasetName;
  affected?: boolean;
  from?: string;
  builtBefore?: string;
  out: string;
  maxBroken?: number;
  threads: number;
}

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
      "\nWith --affected, withdrawn days are listed and not rebuilt, even with --force.\n" +
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
 * Rebuilds and publishes a day. Running downloads finish on the old object; cursors of the old revision are refused
 * with `data_rebuilt`.
 */
async function rebuild(
  sources: string[],
  options: RebuildOptions & { date: BeijingDate; root?: string },
): Promise<void> {
  const report = await buildWithProgress(sources, { ...options, verify: true });
  console.error(deliveryLines(report).join("\n"));
  const client = serviceOf(options);
  const built = report.packs.map(({ dataset }) => dataset);
  // Asked before anything is published, so that an error here hides no published pack.
  const lacking = options.dataset === undefined ? await lackingDatasets(client, built) : [];
  const force = options.force ?? false;
  const packs = report.packs.flatMap(({ pack: path, result }) => {
    if (path === null) return [];
    return { path, publish: () => publishAt(client, path, { force, degraded: result === "degraded" }) };
  });
  const { published, failures } = await publishEach(packs);
  if (published.length > 0 || failures.length === 0) {
    print(options, { ...published[0], published, lacking }, [
      ...published.flatMap(publishedLines),
      ...lacking.map((dataset) => `${options.date} is degraded: ${lackingText(dataset).en}.`),
    ]);
  }
  refuseUnpublished(failures);
  refuseFailed(report);
  refuseFailedAuction(published.map(({ auction }) => auction));
  if (report.result === "degraded" || lacking.length > 0) process.exitCode = EXIT.degraded;
}

/** Rebuilds days in sequence. A day that fails is named and does not stop the others. */
async function rebuildAffected(folder: string, options: RebuildOptions): Promise<void> {
  const deliveries = await namedDeliveries(folder);
  const left: string[] = [];
  let [count, before] = [0, ""];
  for (const dataset of datasetsOf(options)) {
    const { days, version } = await builtBefore(options, options.builtBefore, dataset);
    before = version;
    count += days.length;
    for (const { tradedate, state } of days) {
      const called = dayName(tradedate, dataset);
      const { orders: sources } = deliveries.get(tradedate) ?? { orders: [] };
      if (state === "withdrawn") left.push(`${called}: it is withdrawn`);
      else if (sources.length === 0) left.push(`${called}: its delivery is not in ${folder}`);
      else {
        const one = { ...options, dataset, date: tradedate, root: folder };
        await rebuild(sources, one).catch((error: unknown) => {
          if (!(error instanceof CommandFailure)) throw error;
          left.push(`${called}: ${error.message}`);
        });
      }
    }
  }
  const rebuilt = `${count - left.length} of ${count} packs built by a version before ${before} were rebuilt`;
  // Every pack that was not rebuilt gets one line, after the output about the rebuilt packs.
  for (const line of left) console.error(`not rebuilt: ${line}`);
  if (left.length > 0) throw new CommandFailure(`${rebuilt}; ${left.length} were not.`);
  console.error(`${rebuilt}.`);
}
