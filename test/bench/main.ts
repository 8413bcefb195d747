/**
 * `npm run bench [-- --report FILE] [--update] [--only NAME] [--rows N,N] [--pack FILE] [--full] [--seconds N] [--json
 * FILE]`: prints the figures of one run on one machine, compared with rival programs in the same run. Only the ratios
 * can be compared with other machines. `--update` writes the figures of a whole run into the two READMEs. `--pack` also
 * measures an existing pack (may be repeated), `--full` also generates a day of 130 million rows, `--seconds` is the
 * duration of the bench `load`. `--delay D1,GATE,R2` (ms, default 20,15,40) and `--jitter` (%, default 20) set the
 * delays of the stores in `--only latency`. `--dataset` (default `orders`) is the dataset of the generated days; only
 * the benchmarks `rivals` and `page` accept a dataset other than `orders`.
 */
import { parseArgs } from "node:util";
import { inTime, LateAnswer } from "../../src/base/in-time.ts";
import { DATASET_NAMES, type DatasetName, isDatasetName } from "../../src/datasets/registry.ts";
import type { BenchOptions, BenchRow } from "./bench-row.ts";
import { benchBuilder } from "./builder.ts";
import { benchBundle } from "./bundle.ts";
import { benchCapacity } from "./capacity.ts";
import { benchCost } from "./cost.ts";
import { BenchDays } from "./days.ts";
import { updateDocuments } from "./documents.ts";
import { benchGate } from "./gate.ts";
import { benchGrowth } from "./growth.ts";
import { benchHostile } from "./hostile.ts";
import { benchLatency } from "./latency.ts";
import { benchLoad } from "./load.ts";
import { benchFullDay, benchTenthDay, benchWholeDay } from "./market-day.ts";
import { benchPage } from "./page.ts";
import { benchParquet } from "./parquet.ts";
import { lineOf, setting, tablesOf, writeWhole } from "./report.ts";
import { benchRivals } from "./rivals.ts";
import { benchShare } from "./share.ts";

const BENCHES: ReadonlyMap<string, (options: BenchOptions) => Promise<BenchRow[]>> = new Map([
  ["bundle", benchBundle],
  ["hostile", benchHostile],
  ["rivals", benchRivals],
  ["growth", benchGrowth],
  ["builder", benchBuilder],
  ["day", benchWholeDay],
  ["tenth", benchTenthDay],
  ["full-day", benchFullDay],
  ["page", benchPage],
  ["gate", benchGate],
  ["share", benchShare],
  ["parquet", benchParquet],
  ["cost", benchCost],
  ["load", benchLoad],
  ["latency", benchLatency],
  ["capacity", benchCapacity],
]);

/** The benches that run only when `--only` names them, because they take minutes. */
const ONLY_NAMED = ["tenth", "full-day"];
/** The benches that can measure any dataset; the others measure only orders. */
const ANY_DATASET = ["rivals", "page"];

const MADE_ROWS = "1000000,10000000";
/** Number of rows in a whole market day. */
const FULL_ROWS = 130_000_000;
const DELIVERY_ROWS = 5_000_000;
/** A bench that takes longer ends the run. The slowest one, with a day of 130 million rows, takes three minutes. */
const MOST_MINUTES = 10;
const MOST_MINUTES_NAMED = 120;
const ENDING_MS = 30_000;

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    report: { type: "string" },
    update: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    rows: { type: "string", default: MADE_ROWS },
    pack: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "25" },
    seconds: { type: "string", default: "20" },
    full: { type: "boolean", default: false },
    delay: { type: "string", default: "20,15,40" },
    jitter: { type: "string", default: "20" },
    dataset: { type: "string", default: "orders" },
  },
});
const { dataset } = values;
if (!isDatasetName(dataset)) fail(`There is no dataset ${dataset}; there are ${DATASET_NAMES.join(", ")}.`);
const possible = [...BENCHES].filter(([name]) => dataset === "orders" || ANY_DATASET.includes(name));
const chosen = possible.filter(([name]) => values.only?.includes(name) ?? !ONLY_NAMED.includes(name));
const unknown = values.only?.find((name) => !BENCHES.has(name));
if (unknown !== undefined) {
  fail(`There is no bench ${unknown}; there are ${[...BENCHES.keys()].join(", ")}.`);
}
if (chosen.length < (values.only?.length ?? 0))
  fail(`Only the benches ${possible.map(([name]) => name).join(" and ")} accept --dataset ${dataset}.`);
if (values.update && chosen.length < BENCHES.size - ONLY_NAMED.length)
  fail("--update needs all figures of orders: run it without --only and --dataset.");
const made = values.rows
  .split(",")
  .filter((text) => text !== "")
  .map(Number);
if (!made.every((rows) => Number.isSafeInteger(rows) && rows > 0))
  fail(`--rows ${values.rows} is not a list of row counts such as ${MADE_ROWS}.`);
const [rounds = 0, loadSeconds = 0] = (["rounds", "seconds"] as const).map((name) => {
  const count = Number(values[name]);
  if (Number.isSafeInteger(count) && count > 0) return count;
  return fail(`--${name} ${values[name]} is not a whole number above 0.`);
});
const delayMs = values.delay.split(",").map(Number);
if (delayMs.length !== 3 || !delayMs.every((ms) => ms >= 0))
  fail(`--delay ${values.delay} is not three times in milliseconds: D1, gate, R2.`);
const [d1 = 0, gate = 0, r2 = 0] = delayMs;
const jitter = Number(values.jitter) / 100;
if (!(jitter >= 0 && jitter <= 1)) fail(`--jitter ${values.jitter} is not a percentage from 0 to 100.`);
const delays = { ms: { d1, gate, guard: gate, r2 }, jitter };
const daysOf = (name: DatasetName, dayRows: readonly number[], packs: readonly string[] = []) =>
  new BenchDays({ dataset: name, dayRows, packs });
await using days = daysOf(dataset, values.full ? [...made, FULL_ROWS] : made, values.pack);
// A run that measures orders also measures a page of each other dataset.
const others = dataset === "orders" ? DATASET_NAMES.filter((name) => name !== dataset) : [];
await using moreDays = new AsyncDisposableStack();
const otherDays = others.map((name) => moreDays.use(daysOf(name, made.slice(0, 1))));
const deliveryRows = Math.min(DELIVERY_ROWS, Math.max(...made));
const options: BenchOptions = { days, otherDays, deliveryRows, rounds, loadSeconds, delays };

const begun = new Date();
const about = setting(begun);
console.log(about.join("\n"));
const sections: string[] = [];
const rows: BenchRow[] = [];
const failed: string[] = [];
for (const [name, run] of chosen) {
  const startedMs = performance.now();
  console.log(`\n${name}`);
  try {
    const minutes = ONLY_NAMED.includes(name) ? MOST_MINUTES_NAMED : MOST_MINUTES;
    const measured = await inTime(run(options), minutes * 60_000);
    for (const row of measured) console.log(lineOf(row));
    rows.push(...measured);
    sections.push(tablesOf(name, measured));
  } catch (error) {
    console.error(error);
    failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    if (!(error instanceof LateAnswer)) continue;
    // The late bench is still running and would disturb the next one. The timer ends the process after the report is
    // written.
    setTimeout(() => process.exit(1), ENDING_MS).unref();
    break;
  }
  console.log(`  (${Math.round((performance.now() - startedMs) / 1_000)} s)`);
}
const command = `npm run bench -- ${process.argv.slice(2).join(" ")}`;
const seconds = Math.round((Date.now() - begun.getTime()) / 1000);
const head = [...about, `measured in ${seconds} s by \`${command}\``];
sections.push(...failed.map((line) => `Not measured: ${line}\n`));
const tables = `${head.join("  \n")}\n\n${sections.join("\n")}`;
if (values.json !== undefined) await writeWhole(values.json, `${JSON.stringify(rows, null, 2)}\n`);
if (values.report !== undefined) {
  await writeWhole(values.report, tables);
  console.log(`\n${tables}`);
}
if (values.update) {
  const date = begun.toISOString().slice(0, 10);
  console.log(`wrote ${(await updateDocuments(".", { rows, date, command, tables })).join(" and ")}`);
}
if (failed.length > 0) {
  console.error(`Not measured:\n${failed.join("\n")}`);
  process.exitCode = 1;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
