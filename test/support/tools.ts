/**
 * Runs command-line tools as users run them. Tests of a missing tool are skipped with a message; with `CI=true` a
 * missing tool is a failure.
 */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The Debian packages of tools whose package has a different name. */
const PACKAGES: Readonly<Record<string, string>> = {
  "7z": "p7zip-full",
  aria2c: "aria2",
  mkfifo: "coreutils",
  sha256sum: "coreutils",
};

/** Returns whether a tool is missing, for `describe.skipIf`. Prints what to install; throws when `CI` is `true`. */
export function isMissing(tool: string): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => isExecutable(join(folder, tool)))) return false;
  const sentence = `${tool} is not installed: apt-get install ${PACKAGES[tool] ?? tool}`;
  if (process.env.CI === "true") throw new Error(sentence);
  console.log(`SKIPPED: ${sentence}`);
  return true;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Ran {
  /** The exit status; null when a signal ended the program. */
  status: number | null;
  /** The program's output on both streams, in order. */
  output: string;
}

export interface RunOptions {
  cwd?: string;
  /** The program's standard input; empty when absent. */
  input?: string | Uint8Array;
  env?: Record<string, string>;
}

/** Runs a program to its end in a separate session: it reads `input`, not a terminal. */
export function runTool(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, input = "", env = {} } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      detached: true,
      env: { ...process.env, LC_ALL: "C", ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
    let output = "";
    const keep = (chunk: Buffer) => {
      output += chunk.toString("latin1");
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    // A program that does not read to the end of its input closes the pipe.
    child.stdin.on("error", () => undefined);
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
    child.stdin.end(input);
  });
}

/** Runs a program that must succeed; throws with its output otherwise. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { status, output } = await runTool(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: status ${status}\n${output}`);
  return output;
}
