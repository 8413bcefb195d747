/** Runs `npm start` in a process group of its own, as a terminal does. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Demo } from "../../src/cli/demo/welcome.ts";

export interface Start {
  child: ChildProcess;
  /** Returns the output so far. */
  output(): string;
  exited: Promise<number | null>;
}

/** Runs `npm start` with these options. */
export function npmStart(...options: string[]): Start {
  // A separate process group, so that Ctrl-C reaches npm and its children, as in a terminal.
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

/**
 * Waits until every day is served. Returns the content of `demoFile`, the file named by `--out`. Throws when the
 * process ends earlier.
 */
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

/** Sends a request to the demo and returns its answer. */
export async function askDemo<Data = unknown>(
  { baseUrl }: Demo,
  request: { apiname: string; apikey: string | undefined; params: object },
): Promise<{ code: number; message: string; data: Data }> {
  const answer = await fetch(`${baseUrl}/api`, { method: "POST", body: JSON.stringify(request) });
  return (await answer.json()) as { code: number; message: string; data: Data };
}

/** Sends Ctrl-C and waits until the process has ended; does nothing if it has ended already. */
export async function pressCtrlC({ child, exited }: Start): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-(child.pid ?? 0), "SIGINT");
  await exited;
}

/** Ports that no system uses for outgoing connections or for servers that ask for any free port. */
const PORTS = { from: 20_000, count: 10_000 };

/** Returns a port of 127.0.0.1 that is free now. It stays free unless another program asks for the same number. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + randomInt(PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((settle) => {
      server.once("error", () => settle(false));
      server.listen(port, "127.0.0.1", () => settle(true));
    });
    await new Promise((settle) => server.close(settle));
    if (isFree) return port;
  }
}

/** Waits for `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((settle) => setTimeout(settle, ms));
}
