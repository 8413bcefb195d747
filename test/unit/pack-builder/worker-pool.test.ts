/** Tests threads that end before their work is done. */
import type { Worker as Thread } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { perDataset } from "../../../src/datasets/registry.ts";
import { WorkerPool } from "../../../src/pack-builder/worker-pool.ts";

const NOTHING = { paths: perDataset("name", () => null), codes: [], others: [] };

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
