/** Tests threads that end. */
import type { Worker as Thread } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { perDataset } from "../../../src/datasets/registry.ts";
import { WorkerPool } from "../../../src/pack-builder/worker-pool.ts";

const NOTHING = { paths: perDataset("name", () => null), codes: [], others: [] };

describe("a pool that ends one of its threads", () => {
  it("does its work in the threads that are left, of which there is always one", async () => {
    const pool = new WorkerPool(2);
    onTestFinished(() => pool.close());
    pool.start();
    for (const left of [1, 1]) {
      await pool.endOne();
      expect(pool.threads).toBe(left);
      expect(Reflect.get(pool, "all")).toHaveLength(left);
      expect(await Promise.all([pool.checkSlice(NOTHING), pool.checkSlice(NOTHING)])).toEqual([[], []]);
    }
  });

  it("does not start a thread for it", async () => {
    const pool = new WorkerPool(2);
    onTestFinished(() => pool.close());
    await pool.endOne();
    expect(Reflect.get(pool, "all")).toEqual([]);
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
