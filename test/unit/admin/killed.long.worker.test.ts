import { afterEach, describe, expect, it } from "vitest";
import { addDays, type BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import { bindingsOn, type Fuse, type Moment } from "./fuse.ts";
import { admin, publish, servedState, testEnv, testPack } from "./operator.ts";

const { error, warn } = console;
afterEach(() => Object.assign(console, { error, warn }));

/** Publishes with stores that fail from call number `fuse.at`. Returns whether the publisher received status 200. */
async function publishKilled(pack: Awaited<ReturnType<typeof testPack>>, fuse: Fuse): Promise<boolean> {
  console.error = () => undefined;
  console.warn = () => undefined;
  try {
    return (await publish(pack, { bindings: bindingsOn(fuse) })).status === 200;
  } catch {
    return false;
  }
}

const KILLS = (["before", "after"] as const).flatMap((moment) =>
  DATASET_NAMES.map((dataset) => ({ moment, dataset })),
);

describe.each(KILLS)("a publisher of $dataset killed $moment a store call", ({ moment, dataset }) => {
  it("leaves one complete revision served, and succeeds when it is run again", async () => {
    const counting: Fuse = { calls: 0, at: 0, moment };
    const countingDate = moment === "before" ? "20230101" : "20230102";
    await publish(await testPack(countingDate, 1_000, dataset));
    expect(await publishKilled(await testPack(countingDate, 2_000, dataset), counting)).toBe(true);
    expect(counting.calls).toBeGreaterThan(12);

    for (let at = 1; at <= counting.calls; at++) {
      const date = addDays((moment === "before" ? "20220101" : "20220601") as BeijingDate, at);
      await publish(await testPack(date, 1_000, dataset));
      const before = await servedState(date, dataset);
      const pack = await testPack(date, 2_000, dataset);
      const told = await publishKilled(pack, { calls: 0, at, moment });
      const after = (await servedState(date, dataset)) as {
        revision: number;
        sha256: string;
        index_rows: number;
      }[];
      const committed = after[0]?.sha256 === pack.claims.sha256;
      if (!committed) expect([at, after, told]).toEqual([at, before, false]);

      const again = await publish(pack);
      expect([at, again.status, again.body.day?.revision, again.body.newRevision]).toEqual([
        at,
        200,
        2,
        !committed,
      ]);
      expect(await servedState(date, dataset)).toMatchObject([
        { revision: 2, state: "available", sha256: pack.claims.sha256, index_rows: 2, revisions: 2 },
      ]);
      const object = await testEnv.PACKS.get(`${dataset}/2022/${date}/2.parquet`);
      expect(await object?.bytes()).toEqual(pack.bytes);
    }
  });
});

describe.each<Moment>(["before", "after"])("an operator's action killed %s a store call", (moment) => {
  const base = (moment === "before" ? "20230601" : "20250101") as BeijingDate;
  const actions = [
    ["withdraw", { revision: 2, state: "withdrawn" }],
    ["restore", { revision: 3, state: "available" }],
    ["publish", { revision: 3, state: "available" }],
  ] as const;

  it.each(actions)(
    "either has no effect or completes the %s, and always completes it when repeated",
    async (action, after) => {
      console.error = () => undefined;
      const fuse: Fuse = { calls: 0, at: 0, moment };
      for (let at = 0; at === 0 || at <= fuse.calls; at++) {
        const date = addDays(base, 100 * actions.findIndex(([name]) => name === action) + at);
        await publish(await testPack(date, 1_000));
        await publish(await testPack(date, 2_000));
        const before = await servedState(date);
        const act = (bindings = testEnv) =>
          admin("POST", `/days/${date}/${action}`, { revision: 2 }, { bindings });
        const killing: Fuse = at === 0 ? fuse : { calls: 0, at, moment };
        await act(bindingsOn(killing)).catch(() => undefined);
        const state = (await servedState(date)) as { revision: number; state: string }[];
        const isDone = state[0]?.revision === after.revision && state[0].state === after.state;
        if (!isDone) expect([at, state]).toEqual([at, before]);
        const again = await act();
        expect([at, again.status]).toEqual([at, isDone && action !== "withdraw" ? 409 : 200]);
        expect(await servedState(date)).toMatchObject([{ ...after, index_rows: 2 }]);
      }
      expect(fuse.calls).toBeGreaterThanOrEqual(action === "withdraw" ? 2 : 8);
    },
  );
});
