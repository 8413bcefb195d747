/** `edgetape rebuild`: a bad day made good in one step, built from its delivery again and published. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import type { BeijingDate } from "../calendar/beijing.ts";
import { reportLines } from "../pack-builder/build-report.ts";
import { countArgument, dateArgument } from "./arguments.ts";
import { EXIT } from "./exit.ts";
import { buildWithProgress, refuseFailed } from "./pack/build.ts";
import { type PublishCommandOptions, publish } from "./publish/publish-command.ts";
import { withService } from "./service-options.ts";

interface RebuildOptions extends PublishCommandOptions {
  date: BeijingDate;
  out: string;
  maxBroken?: number;
  threads: number;
}

/** Registers `rebuild`. */
export function registerRebuild(program: Command): void {
  withService(
    program
      .command("rebuild")
      .description("build a day from its delivery and publish it as the next revision, in one step")
      .argument("<delivery...>", "what was delivered for the day; several are read as one")
      .requiredOption("--date <YYYYMMDD>", "the trading day", dateArgument)
      .requiredOption("--out <folder>", "where the pack and quarantined lines stay; made if absent")
      .option("--max-broken <count>", "lines that may be no rows before the build fails", countArgument)
      .option("--threads <count>", "worker threads; 0 for none", countArgument, availableParallelism())
      .option("--force", "publish even if the service finds the day implausible or unchanged"),
  ).action(rebuild);
}

/** Running downloads finish on the old object; a walk's old cursor is told `data_rebuilt`. */
async function rebuild(sources: string[], options: RebuildOptions): Promise<void> {
  const report = await buildWithProgress(sources, { ...options, verify: true });
  console.error(reportLines(report).join("\n"));
  refuseFailed(report);
  const degraded = report.result === "degraded";
  await publish(join(options.out, `${options.date}.parquet`), { ...options, degraded });
  if (degraded) process.exitCode = EXIT.degraded;
}
