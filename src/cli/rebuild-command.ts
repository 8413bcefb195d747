/** `edgetape rebuild`: a bad day made good in one step, built from its delivery again and published. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import type { BeijingDate } from "../calendar/beijing.ts";
import { deliveryLines } from "../pack-builder/delivery-report.ts";
import { countArgument, dateArgument, serviceCommand, versionArgument } from "./command-line.ts";
import { builtBefore } from "./day-commands.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { namedDeliveries } from "./nightly/drop-folder.ts";
import { buildWithProgress, refuseFailed } from "./pack-commands.ts";
import { type PublishCommandOptions, publish } from "./publish-command.ts";

interface RebuildOptions extends PublishCommandOptions {
  date?: BeijingDate;
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
    .description("build a day from its delivery and publish it as the next revision, in one step")
    .argument("[delivery...]", "what was delivered for the day; several are read as one")
    .option("--date <YYYYMMDD>", "the trading day", dateArgument)
    .option("--affected", "every loaded day whose pack an earlier builder made, from its delivery in --from")
    .option("--from <folder>", "with --affected: where deliveries lie, as `backfill` reads them")
    .option(
      "--built-before <version>",
      "with --affected: days built before this version; the service's own when absent",
      versionArgument,
    )
    .requiredOption("--out <folder>", "where the pack and quarantined lines stay; made if absent")
    .option("--max-broken <count>", "lines that may be no rows before the build fails", countArgument)
    .option("--threads <count>", "worker threads; 0 for none", countArgument, availableParallelism())
    .option("--force", "publish even if the service finds the day implausible, smaller or unchanged")
    .addHelpText(
      "after",
      "\nWithdrawn days are named and left as they are, with --affected also when forced.",
    )
    .action(run);
}

async function run(sources: string[], options: RebuildOptions): Promise<void> {
  const { date, affected = false, from } = options;
  if (affected) {
    if (from === undefined || date !== undefined || sources.length > 0) {
      throw new CommandFailure("--affected takes --from <folder>, and no delivery and --date.", EXIT.usage);
    }
    return rebuildAffected(from, options);
  }
  if (date === undefined || sources.length === 0) {
    throw new CommandFailure(
      "Give a delivery and its --date, or --affected and --from <folder>.",
      EXIT.usage,
    );
  }
  await rebuild(sources, { ...options, date });
}

/** Running downloads finish on the old object; a cursor of the old revision is refused as `data_rebuilt`. */
async function rebuild(
  sources: string[],
  options: RebuildOptions & { date: BeijingDate; root?: string },
): Promise<void> {
  const report = await buildWithProgress(sources, { ...options, dataset: "orders", verify: true });
  console.error(deliveryLines(report).join("\n"));
  refuseFailed(report);
  const degraded = report.result === "degraded";
  await publish(join(options.out, `${options.date}.parquet`), { ...options, degraded });
  if (degraded) process.exitCode = EXIT.degraded;
}

/** Rebuilds days one after the other; one that cannot be rebuilt is named and does not stop the others. */
async function rebuildAffected(folder: string, options: RebuildOptions): Promise<void> {
  const { days, version } = await builtBefore(options, options.builtBefore);
  const deliveries = await namedDeliveries(folder);
  const left: string[] = [];
  for (const { tradedate, state } of days) {
    const orders = deliveries.get(tradedate)?.orders ?? [];
    if (state === "withdrawn") left.push(`${tradedate}: it is withdrawn`);
    else if (orders.length === 0) left.push(`${tradedate}: its delivery is not in ${folder}`);
    else {
      await rebuild(orders, { ...options, date: tradedate, root: folder }).catch((error: unknown) => {
        if (!(error instanceof CommandFailure)) throw error;
        left.push(`${tradedate}: ${error.message}`);
      });
    }
  }
  const rebuilt = `${days.length - left.length} of ${days.length} days built before ${version} were rebuilt`;
  // A failure is one sentence on one line, so the days stand above it.
  for (const line of left) console.error(`not rebuilt: ${line}`);
  if (left.length > 0) throw new CommandFailure(`${rebuilt}; ${left.length} were not.`);
  console.error(`${rebuilt}.`);
}
