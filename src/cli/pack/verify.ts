/** `edgetape pack verify`: reads a pack as a stranger would and says where it first differs from its index. */
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { originLines } from "../../pack-builder/build-report.ts";
import { verifyPack } from "../../pack-builder/verify/verify-pack.ts";
import { countText } from "../amounts.ts";
import { CommandFailure } from "../exit.ts";
import { print } from "../service-options.ts";

/** Registers `pack verify`. */
export function registerVerify(pack: Command): void {
  pack
    .command("verify")
    .description("check a pack: every checksum, every footer, every row as DuckDB reads it")
    .argument("<pack>", "the pack's file")
    .option("--json", "print the answer as JSON")
    .addHelpText("after", "\nExit status 1: something is off; its place is on stderr.")
    .action(verify);
}

async function verify(path: string, options: { json?: boolean }): Promise<void> {
  const startedMs = performance.now();
  const verified = await verifyPack(path, { threads: availableParallelism() });
  const seconds = (performance.now() - startedMs) / 1000;
  if ("reason" in verified) {
    if (options.json) print(options, { path, whole: false, ...verified }, "");
    if (verified.reason === "unreadable")
      throw new CommandFailure(`${path} cannot be read (${verified.code}).`);
    throw new CommandFailure(`${path}: ${verified.difference}`);
  }
  const { rows, index } = verified;
  const answer = {
    path,
    whole: true,
    tradedate: index.tradedate,
    buildId: index.buildId,
    securities: index.entries.length,
    rows,
    origin: index.origin,
    seconds,
  };
  const lines = [
    `${path}: whole. ${index.tradedate}, ${index.entries.length} securities, ${countText(rows)} rows, checked in ${seconds.toFixed(1)} s.`,
    ...originLines(index.origin, rows),
  ];
  print(options, answer, lines.join("\n"));
}
