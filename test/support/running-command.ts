/**
 * Runs the `edgetape` command so that a test can watch and kill it; `edgetape.ts` is for commands that end by
 * themselves.
 */
import { spawn } from "node:child_process";
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

/** Starts `edgetape` with these arguments. Its environment has the service's URL and token, and `environment`. */
export function startEdgetape(
  args: string[],
  service: Pick<Service, "baseUrl" | "adminToken">,
  environment: Record<string, string> = {},
): Running {
  const child = spawn(process.execPath, ["src/cli/edgetape.mjs", ...args], {
    env: {
      ...process.env,
      EDGETAPE_URL: service.baseUrl,
      EDGETAPE_TOKEN: service.adminToken,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
