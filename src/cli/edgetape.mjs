#!/usr/bin/env node
/**
 * Starts the command with the project's Node. The rest is TypeScript, which Node 24 runs directly and older versions
 * cannot parse, so this file is plain JavaScript.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const NEEDED = 24;
/** The signals that are forwarded to the child process, with their numbers. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
const main = fileURLToPath(new URL("main.ts", import.meta.url));
const bundled = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));

if (Number(process.versions.node.split(".")[0]) >= NEEDED) {
  // Half of a short command's time is spent on compiling, so Node caches the compiled code.
  module.enableCompileCache?.();
  const { run } = await import("./main.ts");
  process.exitCode = await run(process.argv.slice(2));
} else if (existsSync(bundled)) {
  // The IPC channel tells the child that this process has ended, even by SIGKILL, which cannot be forwarded.
  const child = spawn(bundled, [main, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, EDGETAPE_LAUNCHED: "1" },
  });
  for (const signal of Object.keys(SIGNALS)) process.on(signal, () => child.kill(signal));
  child.on("exit", (status, signal) => process.exit(status ?? 128 + (SIGNALS[signal] ?? 9)));
} else {
  console.error(
    `edgetape needs Node ${NEEDED} and this is ${process.version}. Run \`npm ci\` in the checkout: it installs Node ${NEEDED}.`,
  );
  process.exitCode = 1;
}
