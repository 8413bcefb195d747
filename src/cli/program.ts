/** The `edgetape` command: every group of commands, one module each, loaded when it is called. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Help, type Option } from "commander";

type Register = (program: Command) => void;

/**
 * The groups by the first word of a command line, in the order of the help. A module is read only when one of its
 * words is given, or for the help of all: reading every module takes more than a second of CPU.
 */
const GROUPS: readonly { words: readonly string[]; load: () => Promise<Register> }[] = [
  { words: ["pack"], load: async () => (await import("./pack-commands.ts")).registerPackCommands },
  { words: ["publish"], load: async () => (await import("./publish-command.ts")).registerPublish },
  { words: ["rebuild"], load: async () => (await import("./rebuild-command.ts")).registerRebuild },
  { words: ["days", "day"], load: async () => (await import("./day-commands.ts")).registerDays },
  { words: ["changes"], load: async () => (await import("./day-commands.ts")).registerChanges },
  {
    words: ["calendar"],
    load: async () => (await import("./calendar-commands.ts")).registerCalendar,
  },
  { words: ["account"], load: async () => (await import("./account-commands.ts")).registerAccounts },
  {
    words: ["subscription"],
    load: async () => (await import("./subscription-commands.ts")).registerSubscriptions,
  },
  { words: ["plan"], load: async () => (await import("./subscription-commands.ts")).registerPlans },
  { words: ["token"], load: async () => (await import("./operator-commands.ts")).registerTokens },
  { words: ["audit"], load: async () => (await import("./operator-commands.ts")).registerAudit },
  { words: ["explain"], load: async () => (await import("./explain-command.ts")).registerExplain },
  { words: ["key"], load: async () => (await import("./key-commands.ts")).registerKeys },
  { words: ["files"], load: async () => (await import("./file-commands.ts")).registerFiles },
  {
    words: ["external"],
    load: async () => (await import("./share-commands.ts")).registerExternal,
  },
  { words: ["share"], load: async () => (await import("./share-commands.ts")).registerShares },
  { words: ["nightly"], load: async () => (await import("./nightly/nightly.ts")).registerNightly },
  {
    words: ["backfill"],
    load: async () => (await import("./backfill-command.ts")).registerBackfill,
  },
  { words: ["doctor"], load: async () => (await import("./doctor/doctor.ts")).registerDoctor },
  {
    words: ["acceptance"],
    load: async () => (await import("./acceptance/acceptance.ts")).registerAcceptance,
  },
  { words: ["backup"], load: async () => (await import("./backup-commands.ts")).registerBackup },
  { words: ["webhook"], load: async () => (await import("./webhook.ts")).registerWebhook },
  { words: ["sample"], load: async () => (await import("./sample-command.ts")).registerSample },
];

/**
 * Returns the command that `args` (without node and script) need: with the group of their first word alone, with
 * none for `--version`, and with every group otherwise, so that help and suggestions are complete. A wrong command
 * line throws `CommanderError` after its sentence was printed; with `--json` it only throws.
 */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command("edgetape")
    .description(
      "Build day packs from order files, publish them, and run the service's accounts and calendar.",
    )
    .version(packageVersion())
    .configureHelp({ optionDescription })
    .showHelpAfterError("(--help shows what is accepted)")
    // Commands made with `.command()` inherit it, so a wrong option anywhere ends with a status, not an exit.
    .exitOverride()
    .addHelpText(
      "after",
      "\nExit status: 0 done, 1 refused or failed, 2 wrong command line, 3 done with rows left out.\n" +
        "Commands that talk to a service take --url and --token, or EDGETAPE_URL and EDGETAPE_TOKEN; one that is\n" +
        "silent for 60 s (EDGETAPE_TIMEOUT) ends them. With --json an error is one line of JSON on stderr.",
    );
  if (wantsJson(args)) program.configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  const [first = ""] = args;
  if (first === "--version" || first === "-V") return program;
  const called = GROUPS.filter(({ words }) => words.includes(first));
  for (const { load } of called.length > 0 ? called : GROUPS) (await load())(program);
  return program;
}

/** Returns whether a command line asks for JSON. */
export function wantsJson(args: readonly string[]): boolean {
  return args.includes("--json");
}

/** Options without which a command does not run say so. */
function optionDescription(option: Option): string {
  const text = Help.prototype.optionDescription(option);
  return option.mandatory ? `${text} (required)` : text;
}

function packageVersion(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
