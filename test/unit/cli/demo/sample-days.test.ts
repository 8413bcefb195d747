import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { publishSampleDay } from "../../../../src/cli/demo/demo-days.ts";
import { DATASET_NAMES } from "../../../../src/datasets/registry.ts";
import { writeSamplePacks } from "../../../../src/pack-builder/sample/sample-pack.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { fakeService } from "../fake-service.ts";

const stateDir = testFolder("edgetape-demo-");
const tradedate = "20261127" as BeijingDate;
await writeSamplePacks({ tradedate, rows: 2_000 }, join(stateDir, "demo-packs"), DATASET_NAMES);

const WITHDRAWN = {
  status: 409,
  json: { reason: "content_withdrawn", error: "This content was withdrawn." },
};

describe("a sample day whose content was withdrawn", () => {
  it("is published without force, and does not stop the demo if the day is loaded", async () => {
    const { client, asked } = fakeService(() => WITHDRAWN);
    await publishSampleDay(client, tradedate, { stateDir, isLoaded: true });
    const begun = asked.filter(({ path }) => path.startsWith("/admin/days/"));
    expect(begun.map(({ body }) => JSON.parse(String(body)).force)).toEqual(DATASET_NAMES.map(() => false));
  });

  it("stops the demo with the reason if the day is not loaded", async () => {
    const { client } = fakeService(() => WITHDRAWN);
    const published = publishSampleDay(client, tradedate, { stateDir, isLoaded: false });
    await expect(published).rejects.toThrow("This content was withdrawn.");
  });
});
