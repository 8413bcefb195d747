/** The demo's auction packs, brought to the service the way an operator does it. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileListSchema } from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { writeAuctionPack } from "../../pack-builder/sample/auction-pack.ts";
import type { AdminClient } from "../admin-client.ts";
import { addFile, openDailyFile, publishFile } from "../file-commands.ts";

const DATA_TYPE = "auction_tick";

/** Publishes a sample auction pack for each of `days` (ascending) that has none, withdrawn ones included. */
export async function publishSampleAuctions(
  client: AdminClient,
  days: BeijingDate[],
  stateDir: string,
): Promise<void> {
  const path = `/admin/files/${DATA_TYPE}?from=${days.at(0)}&to=${days.at(-1)}`;
  const { files } = await client.request(fileListSchema, "GET", path);
  const present = new Set<string>(files.map(({ tradedate }) => tradedate));
  for (const tradedate of days.filter((day) => !present.has(day))) {
    await publishAuction(client, tradedate, join(stateDir, "demo-packs"));
  }
}

async function publishAuction(client: AdminClient, tradedate: BeijingDate, folder: string): Promise<void> {
  const { path, name } = await writeAuctionPack(tradedate, folder);
  const place = { dataType: DATA_TYPE, tradedate, name } as const;
  const file = await openDailyFile(path, place);
  try {
    const { revision } = await addFile(client, place, file);
    await publishFile(client, place, { revision });
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
