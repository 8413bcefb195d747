import { describe, expect, it } from "vitest";
import type { DayChanged, DayDetail, DayList, UploadBegun } from "../../../src/admin/wire.ts";
import { addDays, type BeijingDate } from "../../../src/calendar/beijing.ts";
import { day, order, security } from "../../support/builders.ts";
import { admin, complete, packFrom, publish, refusal, sent, servedState } from "./operator.ts";

const post = (path: string, body: object) => admin<DayChanged>("POST", path, body);

describe("the plausibility check of a day", () => {
  const usual = (tradedate: string, securities: number) =>
    packFrom(
      day({
        tradedate,
        securities: Array.from({ length: securities }, (_, n) =>
          security(String(600_000 + n), [order("093000000")]),
        ),
      }),
    );

  it("refuses a day with under 90 % of its neighbours' orders, and accepts the same upload with force", async () => {
    const dates = Array.from({ length: 21 }, (_, n) => addDays("20350101" as BeijingDate, n));
    for (const date of dates.slice(0, 20)) await publish(await usual(date, 20));
    const last = dates[20] ?? "";
    const half = await usual(last, 17);
    const begun = await sent(half);
    const counts = /SH has 17 orders of 17 securities; the usual numbers are 20 of 20.*20 loaded days/;
    expect(await complete(half, begun)).toMatchObject(refusal(422, "implausible", counts));
    expect(await servedState(last)).toEqual([]);
    const month = await admin<DayList>("GET", `/days?month=${last.slice(0, 6)}`);
    expect(month.body.days.some(({ tradedate }) => tradedate === last)).toBe(false);

    const insisting = await admin<UploadBegun>("POST", `/days/${last}/uploads`, {
      ...half.claims,
      force: true,
    });
    expect(insisting.body).toMatchObject({ uploadId: begun.uploadId, parts: [{ n: 1 }] });
    expect((await complete(half, begun)).body).toMatchObject({ newRevision: true, day: { revision: 1 } });
    const { comparison } = (await admin<DayDetail>("GET", `/days/${last}`)).body;
    expect(comparison).toEqual({
      days: 20,
      markets: [
        { market: "SH", securities: 17, rows: 17, medianSecurities: 20, medianRows: 20, plausible: false },
      ],
    });
  });

  it("does not apply when a revision that was served before is published again or restored", async () => {
    const date = "20350121";
    expect((await post(`/days/${date}/publish`, { revision: 1 })).body.day.revision).toBe(2);
    const full = await usual(date, 20);
    expect((await publish(full)).body.day.revision).toBe(3);
    expect((await post(`/days/${date}/restore`, { revision: 3 })).body.day.revision).toBe(4);
  });

  it("refuses a day more than twice as large as its neighbours, such as two deliveries in one", async () => {
    const [date, next] = ["20350122", "20350123"];
    expect((await publish(await usual(date, 40))).status).toBe(200);
    expect(await publish(await usual(next, 41))).toMatchObject(
      refusal(422, "implausible", /larger than usual.*41 orders of 41.*--force/),
    );
    expect((await publish(await usual(next, 41), { force: true })).status).toBe(200);
  });
});
