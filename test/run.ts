/**
 * Runs the tests of a tier: `npm test` and `npm run test:long`, with vitest's own arguments behind `--`. The files
 * inside workerd run one after the other, because they share one runtime: in a process of their own, beside the rest.
 */
import { spawn } from "node:child_process";

const ARGS = ["vitest", "run", "--config", "test/vitest.config.ts", "--root", ".", "--passWithNoTests"];

/** Runs the tests of `projects`; its output is shown at once, or as a whole when it ends. Resolves to its status. */
function run(projects: string[], output: "at once" | "at the end"): Promise<number> {
  const chosen = projects.flatMap((name) => ["--project", name]);
  const stdio = output === "at once" ? "inherit" : (["ignore", "pipe", "pipe"] as const);
  const child = spawn("npx", [...ARGS, ...chosen, ...process.argv.slice(2)], { stdio: stdio as "inherit" });
  const kept: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => kept.push(bytes));
  return new Promise((settle) => {
    child.on("close", (status) => settle(status ?? 1));
  }).then((status) => {
    shown.push(Buffer.concat(kept));
    return status as number;
  });
}

const shown: Buffer[] = [];
const statuses = await Promise.all([run(["node", "service"], "at once"), run(["worker"], "at the end")]);
for (const bytes of shown) process.stdout.write(bytes);
process.exitCode = Math.max(...statuses);
