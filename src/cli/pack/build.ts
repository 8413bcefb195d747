/** `edgetape pack build`: a day's delivery → a day pack, with a report of everything that was odd. */
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { buildPack } from "../../pack-builder/build.ts";
import { type BuildReport, placeText, reportLines } from "../../pack-builder/build-report.ts";
import { DeliveryError } from "../../pack-builder/delivery/source-file.ts";
import { countArgument, dateArgument } from "../arguments.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { stageProgress } from "../progress.ts";
import { print } from "../service-options.ts";

interface BuildCommandOptions {
  date: BeijingDate;
  out: string;
  maxBroken?: number;
  threads: number;
  verify: boolean;
  json?: boolean;
}

/** Registers `pack build`. */
export function registerBuild(pack: Command): void {
  pack
    .command("build")
    .description(
      "build the pack of a day from folders, .csv, .txt, .parquet, .gz, .zst, .zip, .7z (also split) and .tar",
    )
    .argument("<delivery...>", "what was delivered for the day; several are read as one")
    .requiredOption("--date <YYYYMMDD>", "the trading day", dateArgument)
    .requiredOption("--out <folder>", "where the pack goes; made if absent")
    .option(
      "--max-broken <count>",
      "lines that may be no rows before the build fails (default: one in a million)",
      countArgument,
    )
    .option("--threads <count>", "worker threads; 0 for none", countArgument, availableParallelism())
    .option("--no-verify", "do not read the pack back before it gets its name")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nLinks are not followed. Every file that is not read is named in the report.\n" +
        "Exit status 3: built, but lines that could not be rows, or files that may hold orders, were left out.",
    )
    .action(build);
}

async function build(sources: string[], options: BuildCommandOptions): Promise<void> {
  const report = await buildWithProgress(sources, options);
  print(options, report, reportLines(report).join("\n"));
  refuseFailed(report);
  if (report.result === "degraded") process.exitCode = EXIT.degraded;
}

/** Builds with progress on stderr; a delivery nothing can be built from is one sentence. */
export async function buildWithProgress(
  sources: string[],
  options: Omit<BuildCommandOptions, "json">,
): Promise<BuildReport> {
  const progress = stageProgress(`building ${options.date}`);
  const report = await buildPack({
    sources,
    tradedate: options.date,
    outFolder: options.out,
    maxBroken: options.maxBroken ?? null,
    threads: options.threads,
    verify: options.verify,
    onProgress: progress.update,
  }).catch((error: unknown) => {
    throw error instanceof DeliveryError ? new CommandFailure(error.message) : error;
  });
  progress.end();
  return report;
}

/** Throws the first reason when no pack came of the build. */
export function refuseFailed({ result, broken, tradedate }: BuildReport): void {
  if (result !== "failed") return;
  const { first } = broken;
  if (first === null)
    throw new CommandFailure(`not one order of ${tradedate} was found; no pack was written.`);
  throw new CommandFailure(`${placeText(first)}: ${first.reason}`);
}
