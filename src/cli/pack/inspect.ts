/** `edgetape pack inspect`: what a pack holds, without reading its rows. */
import type { Command } from "commander";
import { originLines } from "../../pack-builder/build-report.ts";
import { inspectPack, type PackSummary } from "../../pack-builder/inspect-pack.ts";
import { openPack } from "../publish/publish-pack.ts";
import { print } from "../service-options.ts";

/** Registers `pack inspect`. */
export function registerInspect(pack: Command): void {
  pack
    .command("inspect")
    .description("say what a pack holds: securities, rows, times, bytes by column, build id")
    .argument("<pack>", "the pack's file")
    .option("--json", "print the answer as JSON")
    .action(inspect);
}

async function inspect(path: string, options: { json?: boolean }): Promise<void> {
  const pack = await openPack(path);
  try {
    const summary = await inspectPack(pack);
    print(options, { path, ...summary }, lines(summary));
  } finally {
    await pack.close();
  }
}

function lines(summary: PackSummary): string[] {
  const { rows, largest } = summary;
  const perRow = (bytes: number) => `${(bytes / Math.max(1, rows)).toFixed(2)} B/row`;
  return [
    `day         ${summary.tradedate}, ${clock(summary.firstTime)} to ${clock(summary.lastTime)}`,
    `build id    ${summary.buildId}`,
    ...originLines(summary.origin, rows),
    `securities  ${summary.securities} (${summary.securitiesWithoutOrders} without orders)`,
    `rows        ${rows} in ${summary.rowGroups} row groups`,
    `bytes       ${summary.sizeBytes} (${perRow(summary.sizeBytes)})`,
    ...Object.entries(summary.columnBytes).map(
      ([name, bytes]) => `  ${name.padEnd(18)}${String(bytes).padStart(14)}  ${perRow(bytes)}`,
    ),
    `  ${"index".padEnd(18)}${String(summary.indexBytes).padStart(14)}`,
    `  ${"global footer".padEnd(18)}${String(summary.footerBytes).padStart(14)}`,
    ...(largest === null
      ? []
      : [`largest     ${largest.code}, ${largest.rows} rows, ${largest.sizeBytes} bytes`]),
  ];
}

/** HHMMSSmmm as people read it. */
function clock(time: string): string {
  return `${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4, 6)}.${time.slice(6)}`;
}
