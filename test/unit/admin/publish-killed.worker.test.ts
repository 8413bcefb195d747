import { afterEach, describe, expect, it } from "vitest";
import { addDays, type BeijingDate } from "../../../src/calendar/beijing.ts";
import type { Env } from "../../../src/env.ts";
import { publish, servedState, testEnv, testPack } from "./operator.ts";

/** The publisher's machine, the worker or the platform stops: nothing after this call happens. */
class Killed extends Error {}

/** When a store call dies: before it reached the store, or after it acted and before its answer came. */
type Moment = "before" | "after";

interface Fuse {
  calls: number;
  /** The store call (from 1) that dies, and every later one with it; 0: none. */
  at: number;
  moment: Moment;
}

/** A call of D1 or R2 that counts, and dies when the fuse says so. */
async function burn<T>(fuse: Fuse, call: () => Promise<T>): Promise<T> {
  fuse.calls++;
  if (fuse.at > 0 && fuse.calls > fuse.at) throw new Killed();
  if (fuse.calls !== fuse.at) return call();
  if (fuse.moment === "after") await call();
  throw new Killed();
}

/** `target` with the methods that do I/O on the fuse; `makes` methods give an object that gets the same. */
function fused<T extends object>(target: T, fuse: Fuse, io: string[], makes: string[]): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      if (typeof value !== "function") return value;
      if (io.includes(String(name))) {
        return (...given: unknown[]) => burn(fuse, () => Reflect.apply(value, object, given.map(unwrapped)));
      }
      if (!makes.includes(String(name))) return value.bind(object);
      return (...given: unknown[]) => {
        const made: object = Reflect.apply(value, object, given);
        return remember(fused(made, fuse, io, makes), made);
      };
    },
  });
}

const originals = new WeakMap<object, object>();

function remember<T extends object>(proxy: T, original: object): T {
  originals.set(proxy, original);
  return proxy;
}

/** D1's `batch` wants its own statements, not our proxies of them. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;
}

const IO = ["first", "all", "run", "raw", "batch", "head", "get", "put", "delete", "createMultipartUpload"];
const UPLOAD_IO = ["uploadPart", "complete", "abort"];

function bindingsOn(fuse: Fuse): Env {
  return {
    ...testEnv,
    DB: fused(testEnv.DB, fuse, IO, ["prepare", "bind"]),
    PACKS: fused(testEnv.PACKS, fuse, [...IO, ...UPLOAD_IO], ["resumeMultipartUpload"]),
  };
}

const { error, warn } = console;
afterEach(() => Object.assign(console, { error, warn }));

/** Publishes with a kill at store call `at`; true when the publisher was told that it succeeded. */
async function publishKilled(pack: Awaited<ReturnType<typeof testPack>>, fuse: Fuse): Promise<boolean> {
  console.error = () => undefined;
  console.warn = () => undefined;
  try {
    return (await publish(pack, { bindings: bindingsOn(fuse) })).status === 200;
  } catch {
    return false;
  }
}

describe.each<Moment>(["before", "after"])("a publisher killed %s any store call", (moment) => {
  it("leaves one whole revision served, and running it again completes", async () => {
    const counting: Fuse = { calls: 0, at: 0, moment };
    const countingDate = moment === "before" ? "20230101" : "20230102";
    await publish(await testPack(countingDate, 1_000));
    expect(await publishKilled(await testPack(countingDate, 2_000), counting)).toBe(true);
    expect(counting.calls).toBeGreaterThan(12);

    for (let at = 1; at <= counting.calls; at++) {
      const date = addDays((moment === "before" ? "20220101" : "20220601") as BeijingDate, at);
      await publish(await testPack(date, 1_000));
      const before = await servedState(date);
      const pack = await testPack(date, 2_000);
      const told = await publishKilled(pack, { calls: 0, at, moment });
      const after = (await servedState(date)) as { revision: number; sha256: string; index_rows: number }[];
      const committed = after[0]?.sha256 === pack.claims.sha256;
      if (!committed) expect([at, after, told]).toEqual([at, before, false]);

      const again = await publish(pack);
      expect([at, again.status, again.body.day?.revision, again.body.newRevision]).toEqual([
        at,
        200,
        2,
        !committed,
      ]);
      expect(await servedState(date)).toMatchObject([
        { revision: 2, state: "available", sha256: pack.claims.sha256, index_rows: 2, revisions: 2 },
      ]);
      const object = await testEnv.PACKS.get(`orders/2022/${date}/2.parquet`);
      expect(await object?.bytes()).toEqual(pack.bytes);
    }
  });
});
