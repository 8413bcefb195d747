/** Runs the `edgetape` command in a separate process to its end. */

import { type Ended, startEdgetape } from "./running-command.ts";
import type { Service } from "./service.ts";

/** Runs `edgetape` with these arguments. With a service, the environment has its URL and the operator's token. */
export function edgetape(args: string[], service?: Service, input = ""): Promise<Ended> {
  return startEdgetape(args, service, {}, input).ended;
}

/** Options of `nightly` for short waits without threads, which take longer to start than small days take to build. */
export const QUICK = ["--stable", "0.1", "--poll", "0.05", "--threads", "0"];

/** An argument, or the arguments in a list. */
type Value = string | number | readonly string[];

/**
 * Returns a service's commands, each written as an operator types it. A value in the command line is one argument, or
 * one for each of its items. `run` runs a command to its end. `done` returns the output of a command that must succeed
 * without a line on stderr, and `output` what a command that must succeed wrote to stdout and then to stderr.
 *
 * @example await done`day withdraw ${DATE} --note ${"wrong prices"} --yes`
 */
export function commandsOf(
  service?: Pick<Service, "baseUrl" | "adminToken">,
  environment: Record<string, string> = {},
) {
  const run = (text: TemplateStringsArray, ...values: Value[]) =>
    startEdgetape(argumentsOf(text, values), service, environment).ended;
  const output = async (text: TemplateStringsArray, ...values: Value[]) => {
    const { status, stdout, stderr } = await run(text, ...values);
    if (status === 0) return stdout + stderr;
    throw new Error(`edgetape ${argumentsOf(text, values)[0]} exited with ${status}: ${stderr}`);
  };
  const done = async (text: TemplateStringsArray, ...values: Value[]) => {
    const { status, stdout, stderr } = await run(text, ...values);
    if (status === 0 && stderr === "") return stdout;
    throw new Error(`edgetape ${argumentsOf(text, values)[0]} exited with ${status}: ${stderr}`);
  };
  return { run, done, output };
}

function argumentsOf(text: TemplateStringsArray, values: Value[]): string[] {
  const line = String.raw({ raw: text }, ...values.map((_, at) => `\0${at}\0`));
  const valueAt = (at: string) => values[Number(at)] ?? "";
  return line
    .trim()
    .split(/\s+/)
    .flatMap((argument) => {
      const whole = /^\0(\d+)\0$/.exec(argument)?.[1];
      if (whole !== undefined) return [valueAt(whole)].flat().map(String);
      return argument.replaceAll(/\0(\d+)\0/g, (_, at: string) => String(valueAt(at)));
    });
}
