/** The `edgetape` command: one module for each group of commands, loaded on demand. */
import { Command, Help, type Option } from "commander";
import manifest from "../../package.json" with { type: "json" };

type Register = (program: Command) => void;

const days = async () => (await import("./day-commands.ts")).registerDays;

/**
 * The command groups by first argument, in the order of the help. A module is loaded only when its group is called or
 * the full help is shown, because loading all of them takes more than a second of CPU.
 */
const GROUPS: ReadonlyMap<string, () => Promise<Register>> = new Map([
  ["pack", async () => (await import("./pack-commands.ts")).registerPackCommands],
  ["publish", async () => (await import("./publish-command.ts")).registerPublish],
  ["rebuild", async () => (await import("./rebuild-command.ts")).registerRebuild],
  ["days", days],
  ["day", days],
  ["changes", async () => (await import("./changes-command.ts")).registerChanges],
  ["calendar", async () => (await import("./calendar-commands.ts")).registerCalendar],
  ["account", async () => (await import("./account-commands.ts")).registerAccounts],
  ["subscription", async () => (await import("./subscription-commands.ts")).registerSubscriptions],
  ["plan", async () => (await import("./subscription-commands.ts")).registerPlans],
  ["usage", async () => (await import("./usage-command.ts")).registerUsage],
  ["token", async () => (await import("./operator-commands.ts")).registerTokens],
  ["audit", async () => (await import("./operator-commands.ts")).registerAudit],
  ["explain", async () => (await import("./explain-command.ts")).registerExplain],
  ["key", async () => (await import("./key-commands.ts")).registerKeys],
  ["files", async () => (await import("./file-commands.ts")).registerFiles],
  ["external", async () => (await import("./share-commands.ts")).registerExternal],
  ["share", async () => (await import("./share-commands.ts")).registerShares],
  ["nightly", async () => (await import("./nightly/nightly.ts")).registerNightly],
  ["backfill", async () => (await import("./backfill-command.ts")).registerBackfill],
  ["doctor", async () => (await import("./doctor/doctor.ts")).registerDoctor],
  ["acceptance", async () => (await import("./acceptance/acceptance.ts")).registerAcceptance],
  ["backup", async () => (await import("./backup-commands.ts")).registerBackup],
  ["webhook", async () => (await import("./webhook.ts")).registerWebhook],
  ["sample", async () => (await import("./sample-command.ts")).registerSample],
]);

/**
 * Returns the command for `args` (without node and script). If the first argument names a group, the command has only
 * that group; for `--version` it has none. Otherwise it has every group, so that help and suggestions are complete.
 * Parsing an invalid command line prints a message and throws `CommanderError`; with `--json` it only throws.
 */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command("edgetape")
    .description(
      "Build day packs from deliveries, publish them, and manage the service's accounts and calendar.",
    )
    .version(manifest.version)
    .configureHelp({ optionDescription })
    .showHelpAfterError("(--help shows what is accepted)")
    // Subcommands inherit this setting, so that an invalid option of any command throws instead of exiting.
    .exitOverride()
    .addHelpText(
      "after",
      "\nExit status: 0 done, 1 refused or failed, 2 wrong command line, 3 done with rows left out.\n" +
        "Commands that call a service accept --url and --token, or EDGETAPE_URL and EDGETAPE_TOKEN. They fail when\n" +
        "the service is silent for 60 s (or EDGETAPE_TIMEOUT). With --json an error is one line of JSON on stderr.",
    );
  if (wantsJson(args)) program.configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  const [first = ""] = args;
  if (first === "--version" || first === "-V") return program;
  const called = GROUPS.get(first);
  for (const load of called === undefined ? new Set(GROUPS.values()) : [called]) (await load())(program);
  return program;
}

/** Returns whether a command line requests JSON. */
export function wantsJson(args: readonly string[]): boolean {
  return args.includes("--json");
}

/** Marks required options in their description. */
function optionDescription(option: Option): string {
  const text = Help.prototype.optionDescription(option);
  return option.mandatory ? `${text} (required)` : text;
}
