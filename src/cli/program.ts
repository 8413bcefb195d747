/** The `edgetape` command: one module for each group of commands, loaded on demand. */
import { Command, Help, type Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { Register } from "./command.ts";

const days = () => import("./day-commands.ts").then(({ days, day }) => [days, day]);

/**
 * The command groups by first argument, in the order of the help. A module is loaded only when its group is called or
 * the full help is shown, because loading all of them takes more than a second of CPU.
 */
const GROUPS = new Map<string, () => Promise<Register | Register[]>>([
  ["pack", async () => (await import("./pack-commands.ts")).pack],
  ["publish", async () => (await import("./publish-command.ts")).publish],
  ["rebuild", async () => (await import("./rebuild-command.ts")).rebuild],
  ["days", days],
  ["day", days],
  ["changes", async () => (await import("./report-commands.ts")).changes],
  ["calendar", async () => (await import("./calendar-commands.ts")).calendar],
  ["account", async () => (await import("./account-commands.ts")).account],
  ["subscription", async () => (await import("./account-commands.ts")).subscription],
  ["plan", async () => (await import("./account-commands.ts")).plan],
  ["usage", async () => (await import("./report-commands.ts")).usage],
  ["token", async () => (await import("./key-commands.ts")).token],
  ["audit", async () => (await import("./report-commands.ts")).audit],
  ["explain", async () => (await import("./report-commands.ts")).explain],
  ["key", async () => (await import("./key-commands.ts")).key],
  ["files", async () => (await import("./file-commands.ts")).files],
  ["external", async () => (await import("./share-commands.ts")).external],
  ["share", async () => (await import("./share-commands.ts")).share],
  ["nightly", async () => (await import("./nightly/nightly.ts")).nightly],
  ["backfill", async () => (await import("./backfill-command.ts")).backfill],
  ["doctor", async () => (await import("./doctor/doctor.ts")).doctor],
  ["acceptance", async () => (await import("./acceptance/acceptance.ts")).acceptance],
  ["backup", async () => (await import("./backup-commands.ts")).backup],
  ["webhook", async () => (await import("./webhook.ts")).webhook],
  ["sample", async () => (await import("./sample-command.ts")).sample],
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
  for (const load of called === undefined ? new Set(GROUPS.values()) : [called]) {
    for (const register of [await load()].flat()) register(program);
  }
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
