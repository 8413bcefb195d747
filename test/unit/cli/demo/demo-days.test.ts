import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addDays, type BeijingDate } from "../../../../src/calendar/beijing.ts";
import { demoCalendar, publishSampleDay, sampleDates } from "../../../../src/cli/demo/demo-days.ts";
import { DATASET_NAMES } from "../../../../src/datasets/registry.ts";
import { writeSamplePacks } from "../../../../src/pack-builder/sample/sample-pack.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { fakeService } from "../fake-service.ts";

const datesOf = (today: string) => sampleDates(demoCalendar(today as BeijingDate).days, today as BeijingDate);

describe("the demo's sample days", () => {
  it("are the newest three trading days, one 40 days back and one 400 days back", () => {
    expect(datesOf("20261127")).toEqual(["20251023", "20261016", "20261125", "20261126", "20261127"]);
  });

  it("exclude holidays, so that in the National Day week the newest is 30 September", () => {
    expect(datesOf("20261005").slice(-3)).toEqual(["20260928", "20260929", "20260930"]);
  });

  it("are always five different trading days, the older two at least 30 and 365 days back", () => {
    for (let today = "20240101" as BeijingDate; today < "20280101"; today = addDays(today, 5)) {
      const dates = datesOf(today);
      expect(dates).toHaveLength(5);
      expect(new Set(dates).size).toBe(5);
      const [oldest = "", older = ""] = dates;
      expect(oldest < addDays(today, -364) && oldest > addDays(today, -430)).toBe(true);
      expect(older < addDays(today, -29) && older > addDays(today, -70)).toBe(true);
    }
  });

  it("are weekdays in a year whose holidays are unknown, and the demo reports that year", () => {
    expect(demoCalendar("20270104" as BeijingDate).withoutHolidays).toEqual([2027]);
    expect(demoCalendar("20261127" as BeijingDate).withoutHolidays).toEqual([]);
    expect(datesOf("20270104").slice(-3)).toEqual(["20261231", "20270101", "20270104"]);
  });
});

const stateDir = testFolder("edgetape-demo-");
const tradedate = "20261127" as BeijingDate;
await writeSamplePacks({ tradedate, rows: 2_000 }, join(stateDir, "demo-packs"), DATASET_NAMES);

const json = { reason: "content_withdrawn", error: "This content was withdrawn." };
const WITHDRAWN = { status: 409, json };

describe("a sample day whose content was withdrawn", () => {
  it("is sent without force, and its refusal does not stop the demo if the day is already loaded", async () => {
    const { client, asked } = fakeService(() => WITHDRAWN);
    await publishSampleDay(client, tradedate, { stateDir, isLoaded: true });
    const begun = asked.filter(({ path }) => path.startsWith("/admin/days/"));
    expect(begun.map(({ body }) => JSON.parse(String(body)).force)).toEqual(DATASET_NAMES.map(() => false));
  });

  it("stops the demo with the service's message if that day is not loaded yet", async () => {
    const { client } = fakeService(() => WITHDRAWN);
    const published = publishSampleDay(client, tradedate, { stateDir, isLoaded: false });
    await expect(published).rejects.toThrow("This content was withdrawn.");
  });
});
