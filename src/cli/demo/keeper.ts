/**
 * Runs a command in this process's group, and ends the whole group when the standard input of this process closes. The
 * input closes on a clean stop and also when the demo is killed by SIGKILL, so the dev server and its runtime never
 * outlive the demo.
 *
 *     node keeper.ts <program> <argument>…
 */
import { spawn } from "node:child_process";

/** A process that has not ended this long after SIGTERM is killed. */
const GRACE_MS = 3_000;

const [program = "", ...args] = process.argv.slice(2);
// The server gets no terminal, so it does not ask questions or listen for keys.
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
let ending = false;

function endGroup(): void {
  if (ending) return;
  ending = true;
  process.on("SIGTERM", () => {});
  process.kill(-process.pid, "SIGTERM");
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), GRACE_MS);
}

process.stdin.on("end", endGroup).on("error", endGroup).resume();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, endGroup);
child.on("error", () => process.exit(1));
child.on("exit", (code) => {
  // The server may have left its runtime running, so the rest of the group is killed too.
  if (ending) process.kill(-process.pid, "SIGKILL");
  endGroup();
  process.exitCode = code ?? 1;
});
