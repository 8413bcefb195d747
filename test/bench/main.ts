/**
 * `npm run bench [-- --json FILE] [-- --only NAME]`: every figure the README quotes, from one run on one
 * machine, each beside its rivals of the same run. Ratios are to be trusted, milliseconds are this machine's.
 */
import { rename, writeFile } from "node:fs/promises";
import { arch, cpus, platform } from "node:os";
import { parseArgs } from "node:util";
import type { BenchRow } from "./bench-row.ts";
import { benchGate } from "./gate.ts";
import { benchPage } from "./page.ts";
import { benchService } from "./service.ts";
import { benchShare } from "./share.ts";

const BENCHES: ReadonlyMap<string, () => Promise<BenchRow[]>> = new Map([
  ["page", benchPage],
  ["service", benchService],
  ["gate", benchGate],
  ["share", benchShare],
]);

const { values } = parseArgs({ options: { json: { type: "string" }, only: { type: "string" } } });
const chosen = [...BENCHES].filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) {
  console.error(`There is no bench ${values.only}; there are ${[...BENCHES.keys()].join(", ")}.`);
  process.exit(2);
}

console.log(
  `node ${process.version}, ${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`,
);
const rows: BenchRow[] = [];
for (const [name, run] of chosen) {
  console.log(`\n${name}`);
  for (const row of await run()) {
    rows.push(row);
    console.log(lineOf(row));
  }
}
if (values.json !== undefined) {
  await writeFile(`${values.json}.part`, `${JSON.stringify(rows, null, 2)}\n`);
  await rename(`${values.json}.part`, values.json);
}

function lineOf({ name, value, unit, ratio, against }: BenchRow): string {
  const figure = value.toLocaleString("en", { maximumSignificantDigits: 4 });
  const beside = ratio === undefined ? "" : `   ${ratio.toFixed(2)} × ${against ?? ""}`;
  return `  ${name.padEnd(52)} ${figure.padStart(12)} ${unit.padEnd(10)}${beside}`;
}
