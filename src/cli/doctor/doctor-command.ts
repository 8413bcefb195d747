/** `edgetape doctor`: is everything of a deployment as it should be, and what to do where it is not. */
import type { Command } from "commander";
import type { Finding } from "../../admin/wire.ts";
import { countArgument } from "../arguments.ts";
import { EXIT } from "../exit.ts";
import { print, type ServiceOptions, serviceOf, withService } from "../service-options.ts";
import { type Examined, examine } from "./doctor.ts";

interface DoctorOptions extends ServiceOptions {
  repair?: boolean;
  indexDays: number;
  all?: boolean;
  host: boolean;
}

/** Registers `doctor`. */
export function registerDoctor(program: Command): void {
  withService(
    program
      .command("doctor")
      .description(
        "check a deployment from its settings to its public host; says what to do for each finding",
      )
      .option(
        "--repair",
        "put right what can be without anybody's loss: index rows, uploads, objects past their time",
      )
      .option(
        "--index-days <count>",
        "hold the index rows of so many newest days against their packs",
        countArgument,
        20,
      )
      .option("--all", "hold those of every day")
      .option("--no-host", "do not ask the public host as urllib, curl, wget, aria2 and rclone do"),
  )
    .addHelpText("after", "\nExit status 1: something failed. Warnings alone are 0.")
    .action(run);
}

async function run(options: DoctorOptions): Promise<void> {
  const ask = {
    repair: options.repair ?? false,
    indexDays: options.all ? Number.MAX_SAFE_INTEGER : options.indexDays,
    host: options.host,
  };
  const examined = await examine(serviceOf(options), ask, (line) => process.stderr.write(`${line}\n`));
  print(options, examined, linesOf(examined));
  if (examined.findings.some(({ level }) => level === "failed")) process.exitCode = EXIT.failed;
}

function linesOf({ checks, findings }: Examined): string[] {
  const order: Finding["level"][] = ["failed", "warning", "done"];
  const sorted = order.flatMap((level) => findings.filter((finding) => finding.level === level));
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const well = checks.filter((check) => findings.every((finding) => finding.check !== check));
  return [
    ...sorted.flatMap(({ level, check, sentence, advice }) => [
      `${level.toUpperCase().padEnd(8)}${check.padEnd(12)}${sentence}`,
      ...(advice === "" ? [] : [`${" ".repeat(20)}${advice}`]),
    ]),
    `well: ${well.length === 0 ? "nothing" : well.join(", ")}`,
    `${count("failed")} failed, ${count("warning")} warnings, ${count("done")} put right`,
  ];
}
