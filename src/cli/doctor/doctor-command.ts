/** `edgetape doctor`: is everything of a deployment as it should be, and what to do where it is not. */
import type { Command } from "commander";
import {
  type Finding,
  findingListSchema,
  MAX_DELETED_OBJECTS,
  unknownObjectsSchema,
} from "../../admin/wire.ts";
import { type AdminClient, LISTING_MS } from "../admin-client.ts";
import { sizeText } from "../amounts.ts";
import { countArgument } from "../arguments.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "../confirm.ts";
import { EXIT } from "../exit.ts";
import { print, type ServiceOptions, serviceOf, withService } from "../service-options.ts";
import { type Examined, examine } from "./doctor.ts";

interface DoctorOptions extends ServiceOptions, ConfirmOptions {
  repair?: boolean;
  deleteUnknown?: boolean;
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
        "put right what can be without anybody's loss: index rows, uploads, objects past their time or of nobody",
      )
      .option(
        "--delete-unknown",
        "delete every object that the catalog does not know, older than a day, after a yes",
      )
      .option(...YES_OPTION)
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
  const client = serviceOf(options);
  const deleted = options.deleteUnknown ? await deleteUnknown(client, options) : [];
  const seen = await examine(client, ask, (line) => process.stderr.write(`${line}\n`));
  const examined = { ...seen, findings: [...deleted, ...seen.findings] };
  print(options, examined, linesOf(examined));
  if (examined.findings.some(({ level }) => level === "failed")) process.exitCode = EXIT.failed;
}

/** Deletes what the catalog does not know, if the operator says yes to each of it. */
async function deleteUnknown(client: AdminClient, options: DoctorOptions): Promise<Finding[]> {
  const { objects } = await client.request(unknownObjectsSchema, "GET", "/admin/doctor/objects", {
    silenceMs: LISTING_MS,
  });
  if (objects.length === 0) return [];
  const listed = objects.map(
    ({ key, sizeBytes, uploadedAt }) => `${key} (${sizeText(sizeBytes)}, of ${uploadedAt})`,
  );
  await confirm(`Delete for good: ${listed.join(", ")}?`, options);
  const findings: Finding[] = [];
  for (let at = 0; at < objects.length; at += MAX_DELETED_OBJECTS) {
    const keys = objects.slice(at, at + MAX_DELETED_OBJECTS).map(({ key }) => key);
    const request = { body: { keys }, repeatable: true };
    findings.push(
      ...(await client.request(findingListSchema, "POST", "/admin/doctor/objects/delete", request)).findings,
    );
  }
  return findings;
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
