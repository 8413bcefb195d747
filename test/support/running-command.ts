/**
 * Runs the `edgetape` command so that a test can watch and kill it; `edgetape.ts` is for commands that end by
 * themselves.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Service } from "./service.ts";

export interface Ended {
  /** The exit status; null when the command was killed. */
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  /** Resolves when stderr contains `text` (any output when absent), or when the command ends. */
  said(text?: string): Promise<void>;
  /** Kills the command with SIGKILL. */
  kill(): void;
  ended: Promise<Ended>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { bin: { edgetape: string } };

/**
 * Starts `edgetape` with these arguments and `input` as its standard input. Adds `environment` and, with a `service`,
 * the service's URL and token to the environment variables of this process.
 */
export function startEdgetape(
  args: string[],
  service?: Pick<Service, "baseUrl" | "adminToken">,
  environment: Record<string, string> = {},
  input = "",
): Running {
  const address =
    service === undefined ? {} : { EDGETAPE_URL: service.baseUrl, EDGETAPE_TOKEN: service.adminToken };
  const child = spawn(process.execPath, [manifest.bin.edgetape, ...args], {
    env: { ...process.env, ...address, ...environment },
  });
  // A command that does not read its input closes the pipe.
  child.stdin.on("error", () => undefined).end(input);
  const ended: Ended = { status: null, stdout: "", stderr: "" };
  const end = new Promise<Ended>((settle) => child.on("close", (status) => settle({ ...ended, status })));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    ended.stdout += text;
  });
  const listeners = new Set<() => void>();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    ended.stderr += text;
    for (const listener of listeners) listener();
  });
  const said = (text = "") =>
    new Promise<void>((settle) => {
      const check = () => {
        if (ended.stderr.length > 0 && ended.stderr.includes(text)) settle();
      };
      listeners.add(check);
      check();
      void end.then(() => settle());
    });
  return { said, kill: () => child.kill("SIGKILL"), ended: end };
}

/** Runs the command to its end. */
export function runEdgetape(
  args: string[],
  service: Pick<Service, "baseUrl" | "adminToken">,
  environment: Record<string, string> = {},
): Promise<Ended> {
  return startEdgetape(args, service, environment).ended;
}
