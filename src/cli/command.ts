/** Describes commands as values: their arguments and options, and what runs with the parsed options. */
import { createInterface } from "node:readline/promises";
import { Argument, type Command } from "commander";
import { AdminClient } from "./admin-client.ts";
import { dateArgument } from "./command-line.ts";
import { CommandFailure, UsageFailure } from "./exit.ts";
import * as option from "./option.ts";

/** Adds a command or a group of commands to its parent. */
export type Register = (parent: Command) => void;

/** The descriptions of the options whose parsed values are `Values`. */
type Options<Values> = { readonly [Name in keyof Values]: option.Described<Values[Name]> };

/** The options that `command` adds, and `--yes`. */
type ServiceOptions = Partial<option.Values<typeof option.SERVICE & { yes: typeof option.YES }>>;

/** What a running command works with. */
export type Call = ReturnType<typeof callOf>;

interface DescribedCommand<Values, Arguments extends unknown[]> {
  /** What the command does, for the help. */
  says: string;
  /** The arguments that the command's name does not contain, each with its description or with all its settings. */
  args?: Readonly<Record<string, string | Argument>>;
  options?: Options<Values> | undefined;
  /** A text below the help. */
  help?: string;
  alias?: string;
  /** Whether the command runs when its group is called without a command. */
  isDefault?: boolean;
  run(call: Call, options: Values, ...args: Arguments): Promise<void>;
}

/** The argument of a command about one day. */
export const DAY_ARGUMENT = { "<YYYYMMDD>": new Argument("<YYYYMMDD>").argParser(dateArgument) };

/** Returns a command that calls the service: it also has `--url`, `--token` and `--json`. */
export function command<Values, Arguments extends unknown[]>(
  name: string,
  described: DescribedCommand<Values, Arguments>,
): Register {
  const options = { ...described.options, ...option.SERVICE } as Options<Values>;
  return localCommand(name, { ...described, options });
}

/** Returns a command that calls no service, with `--json` only if its own options have it. */
export function localCommand<Values, Arguments extends unknown[]>(
  name: string,
  { says, args = {}, options, help, alias, isDefault = false, run }: DescribedCommand<Values, Arguments>,
): Register {
  return (parent) => {
    const made = parent.command(name, { isDefault }).description(says);
    for (const [placeholder, argument] of Object.entries(args)) {
      made.addArgument(typeof argument === "string" ? new Argument(placeholder, argument) : argument);
    }
    for (const [member, described] of Object.entries<option.Described<unknown>>(options ?? {})) {
      made.addOption(described.named(member));
    }
    if (alias !== undefined) made.alias(alias);
    if (help !== undefined) made.addHelpText("after", help);
    made.action(() => {
      const call = callOf(made.opts<ServiceOptions>());
      return run(call, made.opts() as Values, ...(made.processedArgs as Arguments));
    });
  };
}

/** Returns a group of commands. */
export function group(name: string, says: string, commands: readonly Register[]): Register {
  return (parent) => {
    const made = parent.command(name).description(says);
    for (const register of commands) register(made);
  };
}

/** Returns what a command with these options works with; `given` replaces the client. */
export function callOf(options: ServiceOptions, given?: AdminClient) {
  const { json = false, yes = false } = options;
  return {
    /** The client of the service that the options or environment variables name; throws when they name none. */
    get client() {
      return given ?? serviceOf(options);
    },
    /** Whether the operator wants JSON. */
    json,
    /** Prints the result on stdout: `answer` with `--json`, else `lines`. */
    print(answer: unknown, lines: string | string[]): void {
      const text = json ? JSON.stringify(answer, null, 2) : [lines].flat().join("\n");
      process.stdout.write(`${text}\n`);
    },
    /**
     * Returns when the operator has given `--yes` or confirms `question`. Throws `CommandFailure` when the operator does
     * not confirm, and when there is no terminal to ask on.
     */
    confirm: (question: string) => confirm(question, yes),
  };
}

function serviceOf(options: ServiceOptions): AdminClient {
  const baseUrl = options.url ?? process.env.EDGETAPE_URL;
  const token = options.token ?? process.env.EDGETAPE_TOKEN;
  if (!baseUrl)
    throw new UsageFailure(
      "Name the service with --url or EDGETAPE_URL; for a demo, `npm start` prints the lines to paste.",
    );
  if (!token)
    throw new UsageFailure(
      "Give an operator's token with --token or EDGETAPE_TOKEN; for a demo, `npm start` prints the lines to paste.",
    );
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageFailure(`${baseUrl} is not a URL; it must begin with http:// or https://.`);
  }
  const seconds = process.env.EDGETAPE_TIMEOUT;
  if (!seconds) return new AdminClient({ baseUrl, token });
  if (!/^[1-9]\d{0,4}$/.test(seconds)) {
    throw new UsageFailure("EDGETAPE_TIMEOUT must be a whole number of seconds from 1 to 99999.");
  }
  return new AdminClient({ baseUrl, token, silenceMs: Number(seconds) * 1000 });
}

async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new UsageFailure(`${question} There is no terminal for the confirmation: add --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(reply.trim())) throw new CommandFailure("Nothing was changed.");
}
