/** Describes options of commands: what the command line accepts and what type of value it gives. */
import { availableParallelism } from "node:os";
import { InvalidArgumentError, Option } from "commander";
import { DATASET_NAMES } from "../datasets/registry.ts";
import * as line from "./command-line.ts";

/**
 * Describes an option with a value of type `Value`. The member that holds the description gives the option its name:
 * `keyId` is `--key-id`.
 */
export interface Described<Value> {
  named(name: string): Option;
  /** Makes the option mandatory. */
  required(): Described<NonNullable<Value>>;
  /** Gives the option a default, which the help shows as `shown`. */
  orElse(value: NonNullable<Value>, shown?: string): Described<NonNullable<Value>>;
  /** Never set; it only carries the type. */
  readonly value?: Value;
}

/** The type of the values of described options. */
export type Values<Of> = { [Name in keyof Of]: Of[Name] extends Described<infer Value> ? Value : never };

function described<Value>(named: (name: string) => Option): Described<Value> {
  return {
    named,
    required: () => described((name) => named(name).makeOptionMandatory()),
    orElse: (value, shown) => described((name) => named(name).default(value, shown)),
  };
}

function optional<Value>(
  placeholder: string,
  says: string,
  edit: (option: Option) => Option = (option) => option,
): Described<Value | undefined> {
  return described((name) => {
    const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return edit(new Option(`--${kebab} ${placeholder}`.trimEnd(), says));
  });
}

/** Describes an option without a value. */
export const flag = (says: string) => optional<boolean>("", says);
/** Describes the option `--no-<name>`; the member has the name without `no`, and is true by default. */
export const negated = (says: string) => described<boolean>((name) => new Option(`--no-${name}`, says));
/** Describes an option whose value can be any text. */
export const text = (placeholder: string, says: string) => optional<string>(placeholder, says);
/** Describes an option whose value is one of `choices`. */
export const choice = <Value extends string>(placeholder: string, choices: readonly Value[], says: string) =>
  optional<Value>(placeholder, says, (option) => option.choices(choices));
/** Describes an option with one or more values, each one of `choices`. */
export const choices = <Value extends string>(placeholder: string, from: readonly Value[], says: string) =>
  optional<Value[]>(placeholder, says, (option) => option.choices(from));
/** Returns a function that describes options whose values `parse` returns. */
export const parsed =
  <Value>(placeholder: string, parse: (text: string) => Value) =>
  (says: string) =>
    optional<Value>(placeholder, says, (option) => option.argParser(parse));

/** Describes an option that the help does not show and the command refuses with `advice`. */
export const refused = (placeholder: string, says: string, advice: string) =>
  optional<never>(placeholder, says, (option) =>
    option.hideHelp().argParser(() => {
      throw new InvalidArgumentError(advice);
    }),
  );

export const count = parsed("<count>", line.countArgument);
export const day = parsed("<YYYYMMDD>", line.dateArgument);
export const instant = parsed("<instant>", line.instantArgument);
export const month = parsed("<YYYYMM>", line.monthArgument);
export const revision = parsed("<n>", line.revisionArgument);
export const span = parsed("<span>", line.spanArgument);
export const version = parsed("<version>", line.versionArgument);
/** Describes the option that chooses a dataset. */
export const dataset = (says: string) => choice("<name>", DATASET_NAMES, says);
export const YES = flag("do it without asking");
export const AS_JSON = flag("print the answer as JSON");
export const THREADS = count("worker threads; 0 for none").orElse(availableParallelism());

/** The options of every command that calls the service. */
export const SERVICE = {
  url: text("<address>", "the service, for example https://api.example.com (or EDGETAPE_URL)"),
  token: text(
    "<token>",
    "the operator's token (prefer EDGETAPE_TOKEN, because other users can see command lines)",
  ),
  json: AS_JSON,
};
