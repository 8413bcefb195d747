/** Entry of the `edgetape` command: runs one command line and returns its exit status. */
import { CommanderError } from "commander";
import { CommandFailure, EXIT, jsonOf, sentenceOf, UsageFailure } from "./exit.ts";
import { createProgram, wantsJson } from "./program.ts";

// The work continues when the reader of the output has ended, as in `edgetape changes | head`.
for (const output of [process.stdout, process.stderr]) {
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/** Runs the command line `args` (without node and script) and returns the exit status. */
export async function run(args: string[]): Promise<number> {
  try {
    if (args.some((arg) => arg.includes("\uFFFD"))) {
      throw new UsageFailure("An argument is not UTF-8 text; set the terminal to UTF-8.");
    }
    const program = await createProgram(args);
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const status = statusOf(error);
    if (wantsJson(args)) process.stderr.write(`${jsonOf(error, status, toldOf(error))}\n`);
    // Commander has already printed the message of a `CommanderError`.
    else if (!(error instanceof CommanderError)) process.stderr.write(`edgetape: ${toldOf(error)}\n`);
    return status;
  }
}

function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return EXIT.usage;
  return error instanceof CommandFailure ? error.status : EXIT.failed;
}

/** Returns one line for the operator. `EDGETAPE_DEBUG=1` adds the stack of unexpected errors. */
function toldOf(error: unknown): string {
  const isUnforeseen = error instanceof Error && !(error instanceof CommandFailure);
  return (isUnforeseen && process.env.EDGETAPE_DEBUG && error.stack) || sentenceOf(error);
}

if (import.meta.main) {
  if (process.env.EDGETAPE_LAUNCHED === "1") {
    // The launcher (`edgetape.mjs`) has ended. The channel alone must not keep this process running.
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
    process.channel?.unref();
  }
  process.exitCode = await run(process.argv.slice(2));
}
