import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import { type Guard, judgeAttempt, WRONG_WINDOW_MS } from "../../../src/shares/guard-object.ts";

const { GUARD } = env as unknown as Env;
let made = 0;

/** Returns a guard that was not used before. */
const fresh = (): DurableObjectStub<Guard> => GUARD.getByName(`guard ${made++}`);

describe("the guard object", () => {
  it("keeps every version that a client got, but only the last one that the client saw or started", async () => {
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

  it("deletes its content once all of it is older than the maximum age of a share, and continues to work", async () => {
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

  it("keeps records that are younger than the maximum age of a share, and sets its alarm again", async () => {
    const guard = fresh();
    await guard.begin({ client: "c", how: "got", files: [{ path: "p", revision: 1 }] });
    expect(await runDurableObjectAlarm(guard)).toBe(true);
    expect(await guard.begunOf("p")).toHaveLength(1);
    expect(await runInDurableObject(guard, (_, state) => state.storage.getAlarm())).not.toBeNull();
  });
});

const START = Date.UTC(2026, 2, 12);

/** Returns the times of ten wrong passwords, one second apart. */
function tenWrong(): readonly number[] {
  let times: readonly number[] = [];
  for (let n = 0; n < 10; n++) {
    const judged = judgeAttempt(times, false, START + n * 1000);
    expect(judged.lockedSeconds).toBeNull();
    times = judged.times;
  }
  return times;
}

describe("the wrong-password guard (contract 8.6)", () => {
  it("does not extend a lockout when further attempts are made", () => {
    let times: readonly number[] = tenWrong();
    for (let n = 0; n < 50; n++) times = judgeAttempt(times, false, START + 60_000 + n).times;
    expect(times).toHaveLength(10);
    expect(judgeAttempt(times, true, START + WRONG_WINDOW_MS).lockedSeconds).toBeNull();
  });

  it("allows one more attempt when the oldest of ten wrong passwords is 15 minutes old", () => {
    const times = tenWrong();
    const first = judgeAttempt(times, false, START + WRONG_WINDOW_MS);
    expect(first.lockedSeconds).toBeNull();
    expect(judgeAttempt(first.times, false, START + WRONG_WINDOW_MS + 1).lockedSeconds).toBe(1);
  });

  it("does not count a right password, and still counts the wrong passwords entered before it", () => {
    let times: readonly number[] = tenWrong().slice(0, 9);
    times = judgeAttempt(times, true, START + 10_000).times;
    expect(times).toHaveLength(9);
    times = judgeAttempt(times, false, START + 11_000).times;
    expect(judgeAttempt(times, true, START + 12_000).lockedSeconds).not.toBeNull();
  });
});
