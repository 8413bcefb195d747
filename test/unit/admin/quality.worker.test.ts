import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { overviewOf } from "../../../src/catalog/day-overview.ts";
import { admin, complete, refusal, sent, servedState, stepPath, testEnv, testPack } from "./operator.ts";

const SUMMARY = "failed: 600519.SH matching cancel_remainder × 3";
const failed = { verdict: "failed", summary: SUMMARY };
const checks = { matching: { passed: 3, failed: 1, not_provable: 2 } };

/** Returns the result of the day's quality check from the catalog. */
async function qualityOf(tradedate: string) {
  const day = tradedate as BeijingDate;
  const [shown] = await overviewOf(testEnv.DB, { dataset: "orders", first: day, last: day, today: day });
  return shown?.loaded?.quality;
}

/** Returns the new state that the day's newest audit entry contains. */
async function audited(tradedate: string): Promise<unknown> {
  const { body } = await admin<{ entries: { after: unknown }[] }>("GET", `/audit?subject=${tradedate}`);
  return body.entries[0]?.after;
}

describe("publishing a day with a quality sheet", () => {
  it("is refused before anything is sent if the check failed, unless it is forced", async () => {
    const pack = await testPack("20360203");
    const refused = await admin("POST", stepPath(pack, "/uploads"), { ...pack.claims, quality: failed });
    const error = `The quality check of 20360203 ${SUMMARY};`;
    expect(refused).toMatchObject(refusal(422, "quality_failed", error));
    expect(await servedState("20360203")).toEqual([]);
    const begun = await sent(pack, { quality: failed, force: true });
    expect((await complete(pack, begun)).status).toBe(200);
    expect(await audited("20360203")).toMatchObject({ revision: 1, quality: failed });
    expect(await qualityOf("20360203")).toEqual(failed);
  });

  it("is not refused when the check passed, proved nothing or did not run", async () => {
    for (const [tradedate, quality] of [
      ["20360204", { verdict: "passed", summary: "passed" }],
      ["20360205", { verdict: "not_provable", summary: "not provable" }],
      ["20360206", undefined],
    ] as const) {
      const pack = await testPack(tradedate, 110_000);
      const begun = await sent(pack, { quality });
      expect((await complete(pack, begun)).status).toBe(200);
      expect((await audited(tradedate)) as { quality?: unknown }).toEqual(
        expect.objectContaining(quality === undefined ? { revision: 1 } : { quality }),
      );
    }
  });
});

describe("the quality of a served day", () => {
  it("is updated by a later check of the same content, with an audit entry", async () => {
    const pack = await testPack("20360207");
    const open = { verdict: "not_provable", summary: "not provable", checks };
    const begun = await sent(pack, { quality: open });
    expect((await complete(pack, begun)).status).toBe(200);
    expect(await qualityOf("20360207")).toEqual(open);
    const again = (quality: unknown) =>
      admin("POST", stepPath(pack, "/uploads"), { ...pack.claims, quality }).then(({ body }) => body);
    expect(await again({ ...failed, checks })).toMatchObject({ state: "served", day: { revision: 1 } });
    expect(await qualityOf("20360207")).toEqual({ ...failed, checks });
    expect(await audited("20360207")).toEqual(failed);
    // A repeated result, and a publisher without a sheet, change nothing.
    await again({ ...failed, checks });
    await again(undefined);
    expect(await qualityOf("20360207")).toEqual({ ...failed, checks });
    const { body } = await admin<{ entries: { action: string }[] }>("GET", "/audit?subject=20360207");
    expect(body.entries.map(({ action }) => action)).toEqual(["day.quality", "day.publish"]);
  });
});

describe("a served day", () => {
  it("gets the shortfall that a later upload of the same rows states, and an audit entry records the change", async () => {
    const pack = await testPack("20360209");
    const begun = await sent(pack, { degraded: true });
    expect((await complete(pack, begun)).status).toBe(200);
    const shortfall = "7 lines of orders could not be parsed and were left out";
    const claims = { ...pack.claims, degraded: true, shortfall };
    for (const _ of ["new", "equal"]) {
      const { body } = await admin("POST", stepPath(pack, "/uploads"), claims);
      expect(body).toMatchObject({ state: "served", day: { revision: 1, note: shortfall } });
    }
    expect((await admin("GET", "/days/20360209")).body).toMatchObject({ day: { note: shortfall } });
    const { body } = await admin<{ entries: object[] }>("GET", "/audit?subject=20360209");
    expect(body.entries).toMatchObject([
      { action: "day.shortfall", before: null, after: { shortfall } },
      { action: "day.publish" },
    ]);
  });
});

describe("a quality sheet", () => {
  it("is refused when it has too many checks, or checks with invalid names or invalid counts", async () => {
    const pack = await testPack("20360208");
    for (const wrong of [
      { "<b>": { passed: 1, failed: 0, not_provable: 0 } },
      { matching: { passed: -1, failed: 0, not_provable: 0 } },
      { matching: { passed: 1, failed: 0 } },
      Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`c${"a".repeat(n)}`, checks.matching])),
    ]) {
      const quality = { verdict: "passed", summary: "passed", checks: wrong };
      expect((await admin("POST", stepPath(pack, "/uploads"), { ...pack.claims, quality })).status).toBe(400);
    }
  });
});
