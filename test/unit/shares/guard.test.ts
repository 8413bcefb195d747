import { describe, expect, it } from "vitest";
import { judgeAttempt, WRONG_WINDOW_MS, type WrongTimes } from "../../../src/shares/guard.ts";

const START = Date.UTC(2026, 2, 12);
const MINUTE = 60_000;

/** Ten wrong passwords, one a second. */
function tenWrong(): WrongTimes {
  let times: WrongTimes = [];
  for (let n = 0; n < 10; n++) {
    const judged = judgeAttempt(times, false, START + n * 1000);
    expect(judged.lockedSeconds).toBeNull();
    times = judged.times;
  }
  return times;
}

describe("the wrong-password guard (contract 8.6)", () => {
  it("listens to ten wrong passwords in 15 minutes, and to none after them", () => {
    const times = tenWrong();
    expect(judgeAttempt(times, false, START + 10_000).lockedSeconds).toBe(890);
    expect(judgeAttempt(times, false, START + 14 * MINUTE).lockedSeconds).toBe(60);
  });

  it("does not listen to the right one either, while it is locked", () => {
    expect(judgeAttempt(tenWrong(), true, START + 10_000).lockedSeconds).toBe(890);
  });

  it("is not locked longer by more attempts", () => {
    let times: WrongTimes = tenWrong();
    for (let n = 0; n < 50; n++) times = judgeAttempt(times, false, START + 60_000 + n).times;
    expect(times).toHaveLength(10);
    expect(judgeAttempt(times, true, START + WRONG_WINDOW_MS).lockedSeconds).toBeNull();
  });

  it("lets one more in each time the oldest of the ten is 15 minutes old", () => {
    const times = tenWrong();
    const first = judgeAttempt(times, false, START + WRONG_WINDOW_MS);
    expect(first.lockedSeconds).toBeNull();
    expect(judgeAttempt(first.times, false, START + WRONG_WINDOW_MS + 1).lockedSeconds).toBe(1);
  });

  it("counts no right password, and forgives nothing by one", () => {
    let times: WrongTimes = tenWrong().slice(0, 9);
    times = judgeAttempt(times, true, START + 10_000).times;
    expect(times).toHaveLength(9);
    times = judgeAttempt(times, false, START + 11_000).times;
    expect(judgeAttempt(times, true, START + 12_000).lockedSeconds).not.toBeNull();
  });
});
