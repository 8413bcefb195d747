import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import type { Guard } from "../../../src/shares/guard-object.ts";

const { GUARD } = env as unknown as Env;
let made = 0;

/** A guard that nobody has asked before. */
const fresh = (): DurableObjectStub<Guard> => GUARD.getByName(`guard ${made++}`);

describe("the guard object", () => {
  it("locks one address out after ten wrong passwords, also when it was restarted in between", async () => {
    const guard = fresh();
    for (let n = 0; n < 10; n++) {
      expect(await guard.attempt({ address: "a", right: false })).toBeNull();
      if (n === 5) await runInDurableObject(guard, (_, state) => void state.storage.sync());
    }
    expect(await guard.attempt({ address: "a", right: true })).toBeGreaterThan(890);
    expect(await guard.attempt({ address: "b", right: true })).toBeNull();
  });

  it("remembers what a client got and saw, the last of each, and forgets what it saw when it gets", async () => {
    const guard = fresh();
    const begin = (how: "got" | "saw" | "started", revision: number) =>
      guard.begin({ client: "c", how, files: [{ path: "d/f", revision }] });
    await begin("saw", 1);
    await begin("saw", 2);
    expect(await guard.begunOf("d/f")).toEqual([{ client: "c", how: "saw", revision: 2 }]);
    await begin("got", 2);
    await begin("saw", 3);
    expect(await guard.begunOf("d/f")).toHaveLength(2);
    await begin("got", 4);
    const got = [2, 4].map((revision) => ({ client: "c", how: "got", revision }));
    expect(await guard.begunOf("d/f")).toEqual([...got, { client: "c", how: "saw", revision: 3 }]);
    await begin("started", 5);
    expect(await guard.begunOf("d/f")).toEqual([...got, { client: "c", how: "saw", revision: 5 }]);
    expect(await guard.begunOf("d/other")).toEqual([]);
  });

  it("empties itself when everything in it is older than a share, and works on", async () => {
    const guard = fresh();
    await guard.attempt({ address: "a", right: false });
    await guard.begin({ client: "c", how: "got", files: [{ path: "p", revision: 1 }] });
    await runInDurableObject(guard, (_, state) => {
      state.storage.sql.exec("UPDATE wrong SET at_ms = 0");
      state.storage.sql.exec("UPDATE begun_revisions SET at_ms = 0");
    });
    expect(await runDurableObjectAlarm(guard)).toBe(true);
    expect(await guard.begunOf("p")).toEqual([]);
    expect(await runDurableObjectAlarm(guard)).toBe(false);
    await guard.begin({ client: "c", how: "got", files: [{ path: "p", revision: 2 }] });
    expect(await guard.begunOf("p")).toHaveLength(1);
  });

  it("keeps what is younger, and looks again later", async () => {
    const guard = fresh();
    await guard.begin({ client: "c", how: "got", files: [{ path: "p", revision: 1 }] });
    expect(await runDurableObjectAlarm(guard)).toBe(true);
    expect(await guard.begunOf("p")).toHaveLength(1);
    expect(await runInDurableObject(guard, (_, state) => state.storage.getAlarm())).not.toBeNull();
  });
});
