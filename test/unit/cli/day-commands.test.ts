import { describe, expect, it } from "vitest";
import type { DayDetail, DayRevision } from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { detailLines } from "../../../src/cli/day-commands.ts";

const PACK = { buildId: "0".repeat(32), sha256: "0".repeat(64), rows: 3, securities: 2, sizeBytes: 900 };

/** Returns a revision whose pack has the object key `pack`. */
const revision = (number: number, pack: string, more: Partial<DayRevision> = {}): DayRevision => ({
  ...{ ...PACK, revision: number, degraded: false, objectKey: pack, replacedAt: null, withdrawn: null },
  ...{ publishedAt: "2026-03-11T20:00:00+08:00", builderVersion: null, sourcesSha256: null, damaged: null },
  ...more,
});

/** Returns the lines about a day with these revisions. */
function detail(revisions: DayRevision[]): string[] {
  const day: DayDetail["day"] = {
    ...{ ...PACK, tradedate: "20260311" as BeijingDate, revision: revisions[0]?.revision ?? 1 },
    ...{ state: "available", note: "", degraded: false, publishedAt: "now", announcedInMs: 0 },
  };
  return detailLines("orders", { day, comparison: { days: 0, markets: [] }, revisions });
}

/** Returns the column "restorable until" of each revision. */
function restorable(revisions: DayRevision[]): string[] {
  const lines = detail(revisions);
  const heading = lines.findIndex((line) => line.startsWith("revision  "));
  const at = lines[heading]?.indexOf("restorable until") ?? 0;
  return lines.slice(heading + 1).map((line) => line.slice(at).split(" ")[0] ?? "");
}

describe("the revisions of a day", () => {
  it("show the restore deadline of their content, 7 days after the content was last replaced", () => {
    const replaced = (day: string) => ({ replacedAt: `2026-03-${day}T20:00:00+08:00` });
    expect(
      restorable([
        revision(4, "b"),
        revision(3, "a", replaced("14")),
        revision(2, "b", replaced("13")),
        revision(1, "a", replaced("12")),
      ]),
    ).toEqual(["-", "2026-03-21T20:00:00+08:00", "-", "2026-03-21T20:00:00+08:00"]);
  });

  it("show content as lost when its replacement time is before its publication time", () => {
    const lost = revision(1, "a", { replacedAt: "2026-03-04T21:00:00+08:00" });
    expect(restorable([revision(2, "b"), lost])).toEqual(["-", "-"]);
    expect(detail([revision(2, "b"), lost]).at(-1)).toMatch(/2026-03-11T20:00:00\+08:00 +lost +- /);
  });

  it("show no restore deadline for damaged content", () => {
    const damaged = { at: "2026-03-12T09:00:00+08:00", note: "block 0 of 600519.SH" };
    const replacedAt = "2026-03-12T20:00:00+08:00";
    expect(restorable([revision(2, "b"), revision(1, "a", { damaged, replacedAt })])).toEqual(["-", "-"]);
  });
});
