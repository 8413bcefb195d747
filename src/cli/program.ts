/** The `edgetape` command: every group of commands, one module each, loaded when it is called. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Help, type Option } from "commander";

type Register = (program: Command) => void;

/**
 * The groups by the first word of a command line, in the order of the help. A module is read only when one of its
 * names is given, or for the help of all: reading every module takes more than a second of CPU.
 */
const GROUPS: readonly { names: readonly string[]; load: () => Promise<Register> }[] = [
  { names: ["pack"], load: async () => (await import("./pack-commands.ts")).registerPackCommands },
  { names: ["publish"], load: async () => (await import("./publish-command.ts")).registerPublish },
  { names: ["rebuild"], load: async () => (await import("./rebuild-command.ts")).registerRebuild },
  { names: ["days", "day"], load: async () => (await import("./day-commands.ts")).registerDays },
  { names: ["changes"], load: async () => (await import("./day-commands.ts")).registerChanges },
  {
    names: ["calendar"],
    load: async () => (await import("./calendar-commands.ts")).registerCalendar,
  },
  { names: ["account"], load: async () => (await import("./account-commands.ts")).registerAccounts },
  {
    names: ["subscription"],
    load: async () => (await import("./subscription-commands.ts")).registerSubscriptions,
  },
  { names: ["plan"], load: async () => (await import("./subscription-commands.ts")).registerPlans },
  { names: ["token"], load: async () => (await import("./operator-commands.ts")).registerTokens },
  { names: ["audit"], load: async () => (await import("./operator-commands.ts")).registerAudit },
  { names: ["explain"], load: async () => (await import("./explain-command.ts")).registerExplain },
  { names: ["key"], load: async () => (await import("./key-commands.ts")).registerKeys },
  { names: ["files"], load: async () => (await import("./file-commands.ts")).registerFiles },
  {
    names: ["external"],
    load: async () => (await import("./share-commands.ts")).registerExternal,
  },
  { names: ["share"], load: async () => (await import("./share-commands.ts")).registerShares },
  { names: ["nightly"], load: async () => (await import("./nightly/nightly.ts")).registerNightly },
  {
    names: ["backfill"],
    load: async () => (await import("./backfill-command.ts")).registerBackfill,
  },
  { names: ["doctor"], load: async () => (await import("./doctor/doctor.ts")).registerDoctor },
  {
    names: ["acceptance"],
    load: async () => (await import("./acceptance/acceptance.ts")).registerAcceptance,
  },
  { names: ["backup"], load: async () => (await import("./backup-commands.ts")).registerBackup },
  { names: ["webhook"], load: async () => (await import("./webhook.ts")).registerWebhook },
  { names: ["sample"], load: async () => (await import("./sample-command.ts")).registerSample },
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
  const called = GROUPS.filter(({ names }) => names.includes(first));
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
