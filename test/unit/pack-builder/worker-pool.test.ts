/** Tests the verification in a thread, and threads that end. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker as Thread } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASETS, perDataset } from "../../../src/datasets/registry.ts";
import { WorkerPool } from "../../../src/pack-builder/worker-pool.ts";
import { randomRows } from "../../support/builders.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";
import { printedRandom } from "../../support/random.ts";
import { temporaryFolder } from "./deliveries.ts";

const DAY = "20240102" as BeijingDate;
const NOTHING = { paths: perDataset("name", () => null), codes: [], others: [] };

describe("a pool that verifies a pack", () => {
  const threadsOf = (pool: WorkerPool) => [...(Reflect.get(pool, "all") as Thread[])];
  const build = (pool: WorkerPool) =>
    pool.ofDataset({ dataset: "orders", tradedate: DAY, folder: temporaryFolder() });

  /** Writes a pack with 20 rows. */
  async function pack(): Promise<string> {
    const path = join(temporaryFolder(), "pack.parquet");
    const columns = randomRows(printedRandom("worker pool"), DATASETS.orders, { rows: 20 });
    writeFileSync(path, await buildPackBytes(DAY, [{ symbol: "600519", market: "SH", columns }]));
    return path;
  }

  it.each([0, 2])("reports the progress and the first difference with %i threads", async (threads) => {
    const pool = new WorkerPool(threads);
    onTestFinished(() => pool.close());
    const shares: number[] = [];
    const onProgress = (share: number) => shares.push(share);
    const { verify } = build(pool);
    expect(await verify(await pack(), { onProgress })).toBeNull();
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares).toContain(0.1);
    expect(shares.at(-1)).toBe(1);
    const difference = "the rows of 600519.SH differ from the source's";
    expect(await verify(await pack(), { fingerprints: [1] })).toEqual({ reason: "differs", difference });
    expect(await verify("/nowhere.parquet", {})).toEqual({ reason: "unreadable", code: "ENOENT" });
  });

  it("does it in new threads after it was renewed", async () => {
    const pool = new WorkerPool(2);
    onTestFinished(() => pool.close());
    pool.start();
    const former = threadsOf(pool);
    const exits = former.map((thread) => once(thread, "exit"));
    const { renew, verify } = build(pool);
    await Promise.all([renew(), ...exits]);
    expect(threadsOf(pool)).toHaveLength(2);
    expect(await Promise.all([verify(await pack(), {}), pool.checkSlice(NOTHING)])).toEqual([null, []]);
    expect(threadsOf(pool).filter((thread) => former.includes(thread))).toEqual([]);
    expect(await pool.checkSlice(NOTHING)).toEqual([]);
  });
});

describe("a pool whose thread ends", () => {
  it("rejects the running and the waiting work", async () => {
    const pool = new WorkerPool(1);
    const settled = Promise.allSettled([pool.checkSlice(NOTHING), pool.checkSlice(NOTHING)]);
    await pool.close();
    const rejected = {
      status: "rejected",
      reason: new Error("a worker thread ended before it finished its work"),
    };
    expect(await settled).toEqual([rejected, rejected]);
  });

  it("rejects later work with the thread's first error, even if the thread reports a second error while idle", async () => {
    const pool = new WorkerPool(1);
    onTestFinished(() => pool.close());
    const running = pool.checkSlice(NOTHING);
    const [thread] = Reflect.get(pool, "all") as Thread[];
    thread?.emit("error", new Error("no memory is left"));
    await expect(running).rejects.toThrow("no memory is left");
    thread?.emit("error", new Error("a later error"));
    await expect(pool.checkSlice(NOTHING)).rejects.toThrow("no memory is left");
  });
});
