/** `edgetape sample`: made-up days to try the service with, or to load the pack builder. */
import { type Command, InvalidArgumentError } from "commander";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DEFAULT_ROWS, DEFAULT_SEED, type SampleDay, sampleSections } from "../pack-builder/sample/day.ts";
import { writeSamplePack } from "../pack-builder/sample/sample-pack.ts";
import { writeVendorFile } from "../pack-builder/sample/vendor-csv.ts";
import { countText, dateArgument, print, sizeText } from "./command-line.ts";

interface SampleOptions {
  date: BeijingDate;
  rows: number;
  out: string;
  seed: string;
  csv?: boolean;
  json?: boolean;
}

/** Registers `sample`. */
export function registerSample(program: Command): void {
  program
    .command("sample")
    .description("make a day of invented orders, the same for the same seed, date and size")
    .requiredOption("--date <YYYYMMDD>", "the trading day", dateArgument)
    .requiredOption("--out <folder>", "where to write; made if absent")
    .option(
      "--rows <count>",
      "orders of the whole day; a full market day has 130000000",
      rowsArgument,
      DEFAULT_ROWS,
    )
    .option("--seed <text>", "another seed makes other orders", DEFAULT_SEED)
    .option("--csv", "write the vendor's CSV folders instead of a pack")
    .option("--json", "print the answer as JSON")
    .action(sample);
}

function rowsArgument(text: string): number {
  const rows = Number(text);
  if (!/^\d+$/.test(text) || rows < 1 || rows > 1_000_000_000) {
    throw new InvalidArgumentError("expected a whole number from 1 to 1000000000.");
  }
  return rows;
}

async function sample(options: SampleOptions): Promise<void> {
  const day = { tradedate: options.date, rows: options.rows, seed: options.seed };
  const startedMs = performance.now();
  const written = options.csv ? writeCsv(day, options.out) : await writeSamplePack(day, options.out);
  const seconds = (performance.now() - startedMs) / 1000;
  print(
    options,
    { ...written, tradedate: options.date, seconds },
    `${written.path}: ${countText(written.securities)} securities, ${countText(written.rows)} orders, ${sizeText(written.sizeBytes)} in ${seconds.toFixed(1)} s.`,
  );
}

function writeCsv(day: SampleDay, folder: string) {
  let [rows, sizeBytes, securities] = [0, 0, 0];
  for (const section of sampleSections(day)) {
    sizeBytes += writeVendorFile(folder, section, day.tradedate, section.columns);
    rows += section.columns.rows;
    securities++;
  }
  return { path: folder, sizeBytes, rows, securities };
}
