/** `edgetape sample`: generates synthetic days for trying the service or the pack builder. */
import type { DatasetName } from "../datasets/registry.ts";
import { DEFAULT_ROWS, DEFAULT_SEED, type SampleDay, sampleDatasets } from "../pack-builder/sample/day.ts";
import { type WrittenPack, writeSamplePacks } from "../pack-builder/sample/sample-pack.ts";
import { writeVendorFile } from "../pack-builder/sample/vendor-csv.ts";
import { localCommand } from "./command.ts";
import { sizeText, upTo } from "./command-line.ts";
import { countsOf, datasetsOf } from "./dataset-days.ts";
import * as option from "./option.ts";

const ROWS = option.parsed("<count>", upTo(1_000_000_000));

export const sample = localCommand("sample", {
  says: "generate a day of orders with matching trades and quotes; the same seed, date and size give the same day",
  options: {
    date: option.day("the trading day").required(),
    out: option.text("<folder>", "the output folder, created if absent").required(),
    rows: ROWS("number of orders in the day; a day of the whole market has about 130000000").orElse(
      DEFAULT_ROWS,
    ),
    seed: option
      .text("<text>", "the seed of the random orders; each seed gives different orders")
      .orElse(DEFAULT_SEED),
    dataset: option.dataset("only this dataset (default: all)"),
    csv: option.flag("write the vendor's CSV folders instead of packs"),
    json: option.AS_JSON,
  },
  async run({ print }, { date: tradedate, rows, seed, out, csv, ...of }) {
    const day = { tradedate, rows, seed };
    const datasets = datasetsOf(of);
    const startedMs = performance.now();
    const written = csv ? writeCsv(day, out, datasets) : await writeSamplePacks(day, out, datasets);
    const seconds = (performance.now() - startedMs) / 1000;
    print(
      { tradedate, written, seconds },
      written.map((each) => `${each.path}: ${countsOf(each)}, ${sizeText(each.sizeBytes)}.`),
    );
  },
});

/** Writes the day as CSV files in the vendor's folder layout. Returns the totals of each dataset's files. */
function writeCsv(day: SampleDay, folder: string, datasets: readonly DatasetName[]): WrittenPack[] {
  const written = datasets.map((dataset) => {
    return { dataset, path: folder, sizeBytes: 0, rows: 0, securities: 0 };
  });
  const securities = sampleDatasets(day, { hasQuotes: datasets.includes("quotes") });
  for (const { symbol, market, ...rows } of securities) {
    for (const each of written) {
      const columns = rows[each.dataset];
      each.sizeBytes += writeVendorFile(folder, { symbol, market }, day.tradedate, columns, each.dataset);
      each.rows += columns.rows;
      each.securities++;
    }
  }
  return written;
}
