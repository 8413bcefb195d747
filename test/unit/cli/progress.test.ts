import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { byteProgress, stageProgress } from "../../../src/cli/progress.ts";

function stream(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, stream: { isTTY, write } as unknown as NodeJS.WriteStream };
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe("progress on a terminal", () => {
  it("shows the stages with their percentages on one line, and leaves the final state there", () => {
    const { written, stream: terminal } = stream(true);
    const progress = stageProgress("building 20230711", terminal);
    progress.update({ read: 1, sort: 0.419, write: 0.4, verify: 0 });
    progress.update({ read: 1, sort: 0.5, write: 0.5, verify: 0 });
    vi.advanceTimersByTime(200);
    progress.update({ read: 1, sort: 1, write: 1, verify: 0.07 });
    progress.update({ read: 1, sort: 1, write: 1, verify: 1 });
    progress.end();
    expect(written.join("")).toBe(
      "\rbuilding 20230711: read 100 %, sort 41 %, write 40 %, verify 0 %" +
        "\rbuilding 20230711: read 100 %, sort 100 %, write 100 %, verify 7 %" +
        "\rbuilding 20230711: read 100 %, sort 100 %, write 100 %, verify 100 %\n",
    );
  });

  it("overwrites a longer previous line completely", () => {
    const { written, stream: terminal } = stream(true);
    const progress = byteProgress("x", 200e6, terminal);
    progress.update(100e6);
    vi.advanceTimersByTime(200);
    progress.update(9e6);
    expect(written).toEqual(["\rx: 100.0 of 200.0 MB (50 %)", "\rx: 9.0 of 200.0 MB (4 %)   "]);
  });
});

describe("progress in a log", () => {
  it("is a line every ten seconds, and no line for a short task", () => {
    const { written, stream: log } = stream(false);
    const progress = stageProgress("building", log);
    progress.update({ read: 0.5 });
    vi.advanceTimersByTime(10_000);
    progress.update({ read: 0.75 });
    progress.update({ read: 1 });
    progress.end();
    expect(written).toEqual(["building: read 75 %\n"]);
  });
});
