/** The `edgetape` command: every group of commands, one file each. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Help, type Option } from "commander";
import { registerAcceptance } from "./acceptance/acceptance-command.ts";
import { registerAccounts } from "./account-commands.ts";
import { registerBackfill } from "./backfill/backfill-command.ts";
import { registerBackup } from "./backup/backup-command.ts";
import { registerCalendar } from "./calendar/calendar-commands.ts";
import { registerChanges } from "./changes-command.ts";
import { registerDays } from "./day-commands.ts";
import { registerDoctor } from "./doctor/doctor-command.ts";
import { registerExplain } from "./explain-command.ts";
import { registerExternal } from "./external/external-commands.ts";
import { registerFiles } from "./files/file-commands.ts";
import { registerShares } from "./files/share-commands.ts";
import { registerKeys } from "./key-commands.ts";
import { registerNightly } from "./nightly/nightly-command.ts";
import { registerPackCommands } from "./pack/index.ts";
import { registerPublish } from "./publish/publish-command.ts";
import { registerRebuild } from "./rebuild-command.ts";
import { registerSample } from "./sample-command.ts";
import { registerPlans, registerSubscriptions } from "./subscription-commands.ts";
import { registerAudit, registerTokens } from "./token-commands.ts";
import { registerWebhook } from "./webhook/webhook-command.ts";

/** The whole command. A wrong command line throws `CommanderError` after its sentence was printed. */
export function createProgram(): Command {
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
        "Commands that talk to a service take --url and --token, or EDGETAPE_URL and EDGETAPE_TOKEN.",
    );
  registerPackCommands(program);
  registerPublish(program);
  registerRebuild(program);
  registerDays(program);
  registerChanges(program);
  registerCalendar(program);
  registerAccounts(program);
  registerSubscriptions(program);
  registerPlans(program);
  registerTokens(program);
  registerAudit(program);
  registerExplain(program);
  registerKeys(program);
  registerFiles(program);
  registerExternal(program);
  registerShares(program);
  registerNightly(program);
  registerBackfill(program);
  registerDoctor(program);
  registerAcceptance(program);
  registerBackup(program);
  registerWebhook(program);
  registerSample(program);
  return program;
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
