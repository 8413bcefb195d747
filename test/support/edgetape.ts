/** Runs the `edgetape` command in a separate process to its end. */

import { type Ended, startEdgetape } from "./running-command.ts";
import type { Service } from "./service.ts";

/** Runs `edgetape` with these arguments. With a service, the environment has its URL and the operator's token. */
export function edgetape(args: string[], service?: Service, input = ""): Promise<Ended> {
  return startEdgetape(args, service, {}, input).ended;
}

/** Options of `nightly` for short waits without threads, which take longer to start than small days take to build. */
export const QUICK = ["--stable", "0.1", "--poll", "0.05", "--threads", "0"];

/** A word, or the words of a list, in a command line. */
type Word = string | number | readonly string[];

/**
 * Returns a service's commands, each written as an operator types it. A value in the command line is one word, or one
 * word for each of its items. `run` runs a command to its end. `done` returns the output of a command that must succeed
 * without a line on stderr, and `output` what a command that must succeed wrote to stdout and then to stderr.
 *
 * @example await done`day withdraw ${DATE} --note ${"wrong prices"} --yes`
 */
export function commandsOf(
  service?: Pick<Service, "baseUrl" | "adminToken">,
  environment: Record<string, string> = {},
) {
  const run = (text: TemplateStringsArray, ...words: Word[]) =>
    startEdgetape(argumentsOf(text, words), service, environment).ended;
  const output = async (text: TemplateStringsArray, ...words: Word[]) => {
    const { status, stdout, stderr } = await run(text, ...words);
    if (status === 0) return stdout + stderr;
    throw new Error(`edgetape ${argumentsOf(text, words)[0]} exited with ${status}: ${stderr}`);
  };
  const done = async (text: TemplateStringsArray, ...words: Word[]) => {
    const { status, stdout, stderr } = await run(text, ...words);
    if (status === 0 && stderr === "") return stdout;
    throw new Error(`edgetape ${argumentsOf(text, words)[0]} exited with ${status}: ${stderr}`);
  };
  return { run, done, output };
}

function argumentsOf(text: TemplateStringsArray, words: Word[]): string[] {
  const line = String.raw({ raw: text }, ...words.map((_, at) => `\0${at}\0`));
  const wordOf = (at: string) => words[Number(at)] ?? "";
  return line
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      const whole = /^\0(\d+)\0$/.exec(word)?.[1];
      if (whole !== undefined) return [wordOf(whole)].flat().map(String);
      return word.replaceAll(/\0(\d+)\0/g, (_, at: string) => String(wordOf(at)));
    });
}
