/** Runs `npm start` in a process group of its own, as a terminal does. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Demo } from "../../src/cli/demo/welcome.ts";

export interface Start {
  child: ChildProcess;
  /** Returns the output so far. */
  output(): string;
  exited: Promise<number | null>;
}

/** Starts it with these options. */
export function npmStart(...options: string[]): Start {
  // In its own process group, Ctrl-C reaches npm and its children, as in a terminal.
  const child = spawn("npm", ["start", "--", ...options], { detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((settle) => child.on("close", settle));
  return { child, output: () => output, exited };
}

/** Returns the content of `demoFile`, its `--out`, once every day is served. Throws when the process ends earlier. */
export async function untilServed(start: Start, demoFile: string): Promise<Demo> {
  const isServed = () => {
    const output = start.output();
    const follows = output.includes("Sample days that follow");
    return output.includes("Stop with Ctrl-C") && (!follows || output.includes("Every sample day is served"));
  };
  while (!existsSync(demoFile) || !isServed()) {
    if (start.child.exitCode !== null) throw new Error(`npm start ended:\n${start.output()}`);
    await pause(100);
  }
  return JSON.parse(readFileSync(demoFile, "utf8")) as Demo;
}

/** Sends Ctrl-C and waits for the end; does nothing after the end. */
export async function pressCtrlC({ child, exited }: Start): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-(child.pid ?? 0), "SIGINT");
  await exited;
}

/** Returns a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const address = server.address();
  await new Promise((settle) => server.close(settle));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
/** Waits for `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((settle) => setTimeout(settle, ms));
}
