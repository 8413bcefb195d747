/** `edgetape day adopt`: serves a pack that lies in R2 and that the catalog has forgotten, without sending it again. */
import type { Command } from "commander";
import { type AdoptableDay, type AdoptDay, adoptableListSchema, publishedSchema } from "../admin/wire.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { type AdminClient, HASHING_MS } from "./admin-client.ts";
import { countText, sizeText } from "./amounts.ts";
import { dateArgument } from "./arguments.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "./confirm.ts";
import { CommandFailure } from "./exit.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "./service-options.ts";

interface AdoptOptions extends ServiceOptions, ConfirmOptions {
  object?: string;
  sha256?: string;
  degraded?: boolean;
  force?: boolean;
}

/** Registers `day adopt` and `day adoptable` on the command `day`. */
export function registerAdopt(day: Command): void {
  withService(
    day
      .command("adoptable")
      .description("packs in R2 that the catalog does not know, as a restored backup leaves newer ones"),
  ).action(list);
  withService(
    day
      .command("adopt")
      .description(
        "serve such a pack as the day's next revision, once it is found whole; nothing is sent again",
      )
      .argument("<YYYYMMDD>", "", dateArgument)
      .option("--object <key>", "which one; the newest of the day when absent")
      .option("--sha256 <hex>", "the pack's sum, where its object does not carry it")
      .option("--degraded", "mark the day: its build left rows out")
      .option("--force", "even if the service finds the day implausible")
      .option(...YES_OPTION),
  ).action(adopt);
}

/** Days with packs that the catalog does not know, oldest first. */
async function adoptableDays(client: AdminClient): Promise<AdoptableDay[]> {
  return (
    await client.request(adoptableListSchema, "GET", "/admin/days/adoptable", { silenceMs: HASHING_MS })
  ).days;
}

async function list(options: ServiceOptions): Promise<void> {
  const days = await adoptableDays(serviceOf(options));
  const none = "The catalog knows every pack in R2.";
  print(options, { days }, days.length === 0 ? none : adoptableLines(days));
}

/** The packs as a table. */
export function adoptableLines(days: readonly AdoptableDay[]): string[] {
  return table(
    ["day", "served now", "size", "uploaded", "object"],
    days.flatMap(({ tradedate, served, packs }) =>
      packs.map(({ objectKey, sizeBytes, uploadedAt }) => [
        tradedate,
        served === null ? "nothing" : `revision ${served}`,
        sizeText(sizeBytes),
        uploadedAt,
        objectKey,
      ]),
    ),
  );
}

async function adopt(date: BeijingDate, options: AdoptOptions): Promise<void> {
  const client = serviceOf(options);
  const day = (await adoptableDays(client)).find(({ tradedate }) => tradedate === date);
  const pack = day?.packs.find(
    ({ objectKey }) => options.object === undefined || objectKey === options.object,
  );
  if (day === undefined || pack === undefined) {
    throw new CommandFailure(
      `There is no such pack of ${date} to be adopted; \`edgetape day adoptable\` lists what there is.`,
    );
  }
  const instead = day.served === null ? "" : ` in place of revision ${day.served}`;
  const facts = `${pack.objectKey} (${sizeText(pack.sizeBytes)}, of ${pack.uploadedAt})`;
  await confirm(`Serve ${date} from ${facts}${instead}?`, options);
  const body: AdoptDay = {
    objectKey: pack.objectKey,
    force: options.force ?? false,
    ...(options.sha256 === undefined ? {} : { sha256: options.sha256 }),
    ...(options.degraded === undefined ? {} : { degraded: options.degraded }),
  };
  const path = `/admin/days/${date}/adopt`;
  const served = await client.request(publishedSchema, "POST", path, {
    body,
    repeatable: true,
    silenceMs: HASHING_MS,
  });
  const { revision, securities, rows, sizeBytes } = served.day;
  const told = `${countText(securities)} securities, ${countText(rows)} orders, ${sizeText(sizeBytes)}`;
  print(options, served, `${date} is served as revision ${revision}: ${told}.`);
}
