/** `edgetape pack …`: build, verify and inspect day packs on the disk; no service is asked. */
import type { Command } from "commander";
import { registerBuild } from "./build.ts";
import { registerInspect } from "./inspect.ts";
import { registerVerify } from "./verify.ts";

/** Registers `pack` and its commands. */
export function registerPackCommands(program: Command): void {
  const pack = program.command("pack").description("build, verify and inspect day packs");
  registerBuild(pack);
  registerVerify(pack);
  registerInspect(pack);
}
