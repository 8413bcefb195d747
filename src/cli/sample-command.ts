/** `edgetape sample`: generates synthetic days for trying the service or the pack builder. */
import { type Command, InvalidArgumentError } from "commander";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { DEFAULT_ROWS, DEFAULT_SEED, type SampleDay } from "../pack-builder/sample/day.ts";
import { type WrittenPack, writeSamplePacks } from "../pack-builder/sample/sample-pack.ts";
import { sampleDatasets } from "../pack-builder/sample/trades.ts";
import { writeVendorFile } from "../pack-builder/sample/vendor-csv.ts";
import { datasetOption, dateArgument, print, sizeText } from "./command-line.ts";
import { countsOf, datasetsOf } from "./dataset-days.ts";

interface SampleOptions {
  date: BeijingDate;
  rows: number;
  out: string;
  seed: string;
  dataset?: DatasetName;
  csv?: boolean;
  json?: boolean;
}

/** Registers `sample`. */
export function registerSample(program: Command): void {
  program
    .command("sample")
    .description(
      "generate a day of orders with matching trades and quotes; the same seed, date and size give the same day",
    )
    .requiredOption("--date <YYYYMMDD>", "the trading day", dateArgument)
    .requiredOption("--out <folder>", "the output folder, created if absent")
    .option(
      "--rows <count>",
      "number of orders in the day; a day of the whole market has about 130000000",
      rowsArgument,
      DEFAULT_ROWS,
    )
    .option("--seed <text>", "a different seed gives different orders", DEFAULT_SEED)
    .addOption(datasetOption("only this dataset (default: all)"))
    .option("--csv", "write the vendor's CSV folders instead of packs")
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
  const { date: tradedate, rows, seed, out } = options;
  const day = { tradedate, rows, seed };
  const datasets = datasetsOf(options);
  const startedMs = performance.now();
  const written = options.csv ? writeCsv(day, out, datasets) : await writeSamplePacks(day, out, datasets);
  const seconds = (performance.now() - startedMs) / 1000;
  print(
    options,
    { tradedate, written, seconds },
    written.map((each) => `${each.path}: ${countsOf(each)}, ${sizeText(each.sizeBytes)}.`),
  );
}

/** Writes the day as CSV files in the vendor's folder layout. Returns the totals of each dataset's files. */
function writeCsv(day: SampleDay, folder: string, datasets: readonly DatasetName[]): WrittenPack[] {
  const written = datasets.map((dataset) => ({
    dataset,
    path: folder,
    sizeBytes: 0,
    rows: 0,
    securities: 0,
  }));
  for (const { symbol, market, ...rows } of sampleDatasets(day, {
    hasQuotes: datasets.includes("quotes"),
  })) {
    for (const each of written) {
      const columns = rows[each.dataset];
      each.sizeBytes += writeVendorFile(folder, { symbol, market }, day.tradedate, columns, each.dataset);
      each.rows += columns.rows;
      each.securities++;
    }
  }
  return written;
}
