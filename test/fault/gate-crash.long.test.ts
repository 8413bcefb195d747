/** Tests that the counters and the slot survive a crash of the whole deployment while a file is being read. */
import { describe, expect, it } from "vitest";
import { largeSection, publishSections } from "../support/dataset-days.ts";
import { account } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { DEFAULT_NOW, startService } from "../support/service.ts";
import { openAnswer } from "../support/slow-client.ts";
import { testFolder } from "../support/test-folder.ts";

const asked = { symbol: "300750", tradedate: "20260311" };
const minutesLater = (minutes: number) => new Date(Date.parse(DEFAULT_NOW) + minutes * 60_000).toISOString();
const persistDir = testFolder("edgetape-crash-");

describe("a crash of the whole runtime", () => {
  it("keeps the counters, and keeps the slot for at most 5 minutes", async () => {
    const crashing = await startService({ persistDir });
    const section = largeSection(printedRandom("crash of everything"), "orders", asked.symbol);
    await publishSections(crashing, "orders", asked.tradedate, [section]);
    const { key: apikey } = await account(crashing, { plan: "flagship", limits: { requests: 2, files: 2 } });
    const body = orderHistory({ apikey, params: { ...asked, format: "parquet" } });
    expect((await openAnswer(`${crashing.baseUrl}/api`, { body })).status).toBe(200);
    await crashing.stop();

    const page = orderHistory({ apikey, params: { ...asked, page_size: 1 } });
    {
      await using early = await startService({ persistDir, nowAt: minutesLater(4) });
      expect((await early.post(page)).reason).toBe("slot_busy");
    }
    await using late = await startService({ persistDir, nowAt: minutesLater(6) });
    pageOf(await late.post(page));
    expect((await late.post(page)).reason).toBe("quota_used");
  });
});
