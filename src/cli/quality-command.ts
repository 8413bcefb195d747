/** `edgetape day quality`: shows the result of a day's quality check, without calling the service. */
import { join } from "node:path";
import type { Command } from "commander";
import type { BeijingDate } from "../calendar/beijing.ts";
import { readSheet, sheetName, sheetPageName } from "../pack-builder/check-packs.ts";
import { sheetLines } from "../quality/sheet-text.ts";
import { dateArgument, print } from "./command-line.ts";
import { CommandFailure } from "./exit.ts";

interface QualityOptions {
  folder: string;
  json?: boolean;
}

/** Registers `day quality`. */
export function registerDayQuality(day: Command): void {
  day
    .command("quality")
    .description("show the day's quality sheet, which `edgetape pack build` writes beside the packs")
    .argument("<YYYYMMDD>", "", dateArgument)
    .option("--folder <folder>", "the folder of the day's packs", ".")
    .option("--json", "print the sheet as JSON")
    .addHelpText("after", "\nExit status 1: a check failed, or there is no sheet.")
    .action(quality);
}

async function quality(tradedate: BeijingDate, options: QualityOptions): Promise<void> {
  const path = join(options.folder, sheetName(tradedate));
  const sheet = await readSheet(path);
  if ("problem" in sheet) {
    throw new CommandFailure(
      `The quality sheet ${path} cannot be shown: ${sheet.problem}. Name the folder of the day's packs with --folder, or build the packs again.`,
    );
  }
  const page = join(options.folder, sheetPageName(tradedate));
  print(options, sheet, [...sheetLines(sheet), `page        ${page}`]);
  if (sheet.verdict === "failed") process.exitCode = 1;
}
