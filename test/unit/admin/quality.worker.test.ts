import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { overviewOf } from "../../../src/catalog/day-overview.ts";
import { admin, begin, complete, sendParts, servedState, stepPath, testEnv, testPack } from "./operator.ts";

const SUMMARY = "failed: 600519.SH matching cancel_remainder × 3";
const failed = { verdict: "failed", summary: SUMMARY };

/** The last audit entry of publishing the day. */
async function audited(tradedate: string): Promise<unknown> {
  const { body } = await admin<{ entries: { after: unknown }[] }>("GET", `/audit?subject=${tradedate}`);
  return body.entries[0]?.after;
}

describe("the publishing of a day with a quality sheet", () => {
  it("is refused before anything is sent when the check failed, and with force the audit holds the reason", async () => {
    const pack = await testPack("20360203");
    const refused = await admin("POST", stepPath(pack, "/uploads"), { ...pack.claims, quality: failed });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        reason: "quality_failed",
        error: expect.stringContaining(`The quality check of 20360203 ${SUMMARY};`),
      },
    });
    expect(await servedState("20360203")).toEqual([]);
    const begun = await begin(pack, { quality: failed, force: true });
    await sendParts(pack, begun);
    expect((await complete(pack, begun)).status).toBe(200);
    expect(await audited("20360203")).toMatchObject({ revision: 1, quality: failed });
    const day = "20360203" as BeijingDate;
    const [shown] = await overviewOf(testEnv.DB, {
      dataset: "orders",
      first: day,
      last: day,
      today: day,
    });
    expect(shown).toMatchObject({ state: "available", loaded: { revision: 1, quality: failed } });
  });

  it("is not refused when the check passed, proved nothing or did not run", async () => {
    for (const [tradedate, quality] of [
      ["20360204", { verdict: "passed", summary: "passed" }],
      ["20360205", { verdict: "not_provable", summary: "not provable" }],
      ["20360206", undefined],
    ] as const) {
      const pack = await testPack(tradedate, 110_000);
      const begun = await begin(pack, { quality });
      await sendParts(pack, begun);
      expect((await complete(pack, begun)).status).toBe(200);
      expect((await audited(tradedate)) as { quality?: unknown }).toEqual(
        expect.objectContaining(quality === undefined ? { revision: 1 } : { quality }),
      );
    }
  });
});
