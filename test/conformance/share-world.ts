/**
 * Daily files for the tests of `file_download`. The date is Thursday, 12 March 2026, in Beijing. The files lie around
 * New Year and around the first days of the professional plan's windows: 2025-03-13 (365 days) and 2026-02-11
 * (30 days).
 */
import type { PlanName } from "../../src/entitlement/principal.ts";
import { day, order, security } from "../support/builders.ts";
import { auctionPack, type DailyFile, ownFile, publishFiles } from "../support/files.ts";
import { publish } from "../support/operator.ts";
import { oncePerWorker, type Service, startService } from "../support/service.ts";
import { keysOfPlans } from "./world.ts";

const AUCTIONS: readonly DailyFile[] = [
  "20220104",
  "20250312",
  "20250313",
  "20251231",
  "20260105",
  "20260312",
].map((date) => auctionPack(date));

/** The operator's own `level2` files. */
const OWN_FILES: readonly DailyFile[] = [
  ownFile("20260210", "trades of the day before the window"),
  ownFile("20260211", "trades of its first day"),
  ownFile("20260311", "trades of yesterday"),
  ownFile("20260311", "quotes of yesterday", "quotes.20260311.7z"),
];
/** The days that have an order pack. */
const PACK_DAYS = ["20170103", "20260210", "20260211", "20260311"];

export interface ShareWorld {
  service: Service;
  keys: Record<PlanName, string>;
  /** The size of the order pack of each day in `PACK_DAYS`, in bytes. */
  packBytes: Record<string, number>;
  stop(): Promise<void>;
}

/**
 * Returns the service that all test files of a worker process share. The service has the daily files of this module and
 * a new account for every plan. Tests that add daily files use years without files. `stop` leaves the service running.
 */
export async function sharedShareWorld(): Promise<ShareWorld> {
  const published = await oncePerWorker("world of shares", startPublished);
  const { service } = published;
  return { ...published, keys: await keysOfPlans(service), stop: async () => service.checkLog() };
}

async function startPublished(): Promise<Pick<ShareWorld, "service" | "packBytes">> {
  const service = await startService();
  await publishFiles(service, ...AUCTIONS, ...OWN_FILES);
  const packBytes: Record<string, number> = {};
  for (const tradedate of PACK_DAYS) {
    const securities = [security("600519", [order("093000000"), order("093000010")])];
    packBytes[tradedate] = (await publish(service, day({ tradedate, securities }))).day.sizeBytes;
  }
  return { service, packBytes };
}

/** Returns the expected summary of a share that contains the published files whose dates `covers` accepts. */
export function summary(
  world: ShareWorld,
  type: DailyFile["type"],
  covers: (date: string) => boolean,
): { start_date: string; end_date: string; file_count: number; size_bytes: number } {
  const own = [...AUCTIONS, ...OWN_FILES].filter((file) => file.type === type);
  const files = own.map(({ date, bytes }) => ({ date, size: bytes.length }));
  if (type === "level2") files.push(...PACK_DAYS.map((date) => ({ date, size: world.packBytes[date] ?? 0 })));
  const covered = files.filter(({ date }) => covers(date)).toSorted((a, b) => a.date.localeCompare(b.date));
  return {
    start_date: covered.at(0)?.date ?? "",
    end_date: covered.at(-1)?.date ?? "",
    file_count: covered.length,
    size_bytes: covered.reduce((sum, { size }) => sum + size, 0),
  };
}
