/**
 * `npm run bench [-- --json FILE] [-- --report FILE] [-- --only NAME]`: every figure, from one run on one
 * machine, each beside its rivals of the same run. Ratios are to be trusted, milliseconds are this machine's.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { arch, cpus, platform } from "node:os";
import { parseArgs } from "node:util";
import type { BenchRow } from "./bench-row.ts";
import { benchBundle } from "./bundle.ts";
import { benchCost } from "./cost.ts";
import { benchGate } from "./gate.ts";
import { benchLoad } from "./load.ts";
import { benchPage } from "./page.ts";
import { benchParquet } from "./parquet.ts";
import { benchService } from "./service.ts";
import { benchShare } from "./share.ts";

const BENCHES: ReadonlyMap<string, () => Promise<BenchRow[]>> = new Map([
  ["bundle", benchBundle],
  ["page", benchPage],
  ["service", benchService],
  ["gate", benchGate],
  ["share", benchShare],
  ["parquet", benchParquet],
  ["cost", benchCost],
  ["load", benchLoad],
]);

const { values } = parseArgs({
  options: { json: { type: "string" }, report: { type: "string" }, only: { type: "string" } },
});
const chosen = [...BENCHES].filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) {
  console.error(`There is no bench ${values.only}; there are ${[...BENCHES.keys()].join(", ")}.`);
  process.exit(2);
}

const machine = `node ${process.version}, ${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`;
console.log(machine);
const sections: string[] = [];
const rows: BenchRow[] = [];
for (const [name, run] of chosen) {
  console.log(`\n${name}`);
  const measured = await run();
  for (const row of measured) console.log(lineOf(row));
  rows.push(...measured);
  sections.push(tableOf(name, measured));
}
if (values.json !== undefined) await writeWhole(values.json, `${JSON.stringify(rows, null, 2)}\n`);
if (values.report !== undefined) {
  await writeWhole(values.report, `${machine}, ${await versions()}\n\n${sections.join("\n")}`);
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

/** The rivals and the runtime in the versions they are pinned at. */
async function versions(): Promise<string> {
  const { devDependencies, dependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const all: Record<string, string> = { ...devDependencies, ...dependencies };
  return ["miniflare", "@duckdb/node-api", "hyparquet"].map((name) => `${name} ${all[name]}`).join(", ");
}

/** The figures of one bench as a Markdown table. */
function tableOf(name: string, measured: readonly BenchRow[]): string {
  const lines = measured.map(({ name, value, unit, ratio, against }) => {
    const beside = ratio === undefined ? "" : `${ratio.toFixed(2)} × ${against ?? ""}`;
    return `| ${name} | ${figureOf(value)} ${unit} | ${beside} |`;
  });
  return `| ${name} | | |\n|---|---|---|\n${lines.join("\n")}\n`;
}

function figureOf(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

function lineOf({ name, value, unit, ratio, against }: BenchRow): string {
  const figure = figureOf(value);
  const beside = ratio === undefined ? "" : `   ${ratio.toFixed(2)} × ${against ?? ""}`;
  return `  ${name.padEnd(52)} ${figure.padStart(12)} ${unit.padEnd(10)}${beside}`;
}
