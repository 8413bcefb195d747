/**
 * A service with the packs of a day, an operator's file and a `level2` share, for the tests of shares. The time is
 * Thursday, 12 March 2026, 10:00 in Beijing.
 */

import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import { shareOf, type TestShare, tradesFile } from "../support/drive.ts";
import { type DailyFile, publishFiles } from "../support/files.ts";
import { account, publish } from "../support/operator.ts";
import { randomBytes } from "../support/random.ts";
import { oncePerWorker } from "../support/service.ts";
import { sharedWorld, startWorld, type World } from "./world.ts";

/** The main day. It has an order pack, packs of the other datasets built from the same rows, and an operator's file. */
export const DAY = "20260311";
/** The names of the packs of `DAY`, in the order of listings. */
export const PACKS = DATASET_NAMES.map((dataset) => `${DAY}_${dataset}.parquet`).toSorted();
/** The header that states a client's IP address. */
export const HERE = { "cf-connecting-ip": "203.0.113.7" };
/** The header of `HERE` with another IP address. */
export const THERE = { "cf-connecting-ip": "198.51.100.9" };

export interface WithShare extends World {
  /** A share that offers the `level2` files of 2026. */
  share: TestShare;
  /** The account that owns the share. */
  owner: { accountId: string; key: string };
}

export interface DriveWorld extends WithShare {
  /** The operator's file of `DAY` in level2 shares. */
  trades: DailyFile;
}

/** The result of the quality check for the trade pack of `DAY`. */
export const QUALITY = {
  verdict: "failed" as const,
  summary: "failed: 600519.SH matching fill_unknown × 2",
  checks: {
    matching: { passed: 7, failed: 1, not_provable: 3 },
    sums: { passed: 0, failed: 0, not_provable: 11 },
  },
};

const trades = tradesFile(DAY, randomBytes(1, 10_000));

/** Starts a separate service with files and shares, for tests that change the files. */
export async function startDriveWorld(): Promise<DriveWorld> {
  const world = await startWorld();
  await publishOnDrive(world);
  return { ...(await withShare(world)), trades };
}

/** Returns the service that all test files of a worker process use, with a new share in it. See `sharedWorld`. */
export async function sharedDriveWorld(): Promise<DriveWorld> {
  const world = await sharedWorld("drive");
  await oncePerWorker("files of the drive", () => publishOnDrive(world));
  return { ...(await withShare(world)), trades };
}

async function publishOnDrive({ service, main }: World): Promise<void> {
  await publishFiles(service, trades);
  for (const dataset of DATASET_NAMES.filter((name) => name !== "orders")) {
    await publish(service, main, dataset, dataset === "trades" ? QUALITY : undefined);
  }
}

/** Adds an account with a share of the `level2` files of 2026. */
export async function withShare(world: World): Promise<WithShare> {
  const owner = await account(world.service, { plan: "flagship" });
  return { ...world, share: await shareOf(world.service, owner.key), owner };
}
