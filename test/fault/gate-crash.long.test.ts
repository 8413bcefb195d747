/** Tests that the counters and the slot survive a crash of the whole deployment while a file is being read. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { noise } from "../support/builders.ts";
import { account, publishPack } from "../support/operator.ts";
import { buildPackBytes } from "../support/pack-bytes.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { DEFAULT_NOW, startService } from "../support/service.ts";
import { openAnswer } from "../support/slow-client.ts";

const TRADEDATE = "20260311";
/** A security whose file is larger than all buffers between the worker and an idle reader. */
const LARGE = { symbol: "300750", rows: 700_000 };
const SMALL = { symbol: "600519", rows: 2_001 };
const random = printedRandom("crash of everything");

const page = (apikey: string) =>
  orderHistory({ apikey, params: { symbol: SMALL.symbol, tradedate: TRADEDATE, page_size: 1 } });

const file = (apikey: string) =>
  orderHistory({ apikey, params: { symbol: LARGE.symbol, tradedate: TRADEDATE, format: "parquet" } });

describe("a crash of the whole runtime", () => {
  it("keeps the counters, and keeps the slot for at most 5 minutes", async () => {
    const persistDir = await mkdtemp(join(tmpdir(), "edgetape-crash-"));
    const minutesLater = (minutes: number) =>
      new Date(Date.parse(DEFAULT_NOW) + minutes * 60_000).toISOString();
    try {
      const pack = await buildPackBytes(TRADEDATE as BeijingDate, [
        { symbol: LARGE.symbol, market: "SZ", columns: noise(random, LARGE.rows) },
        { symbol: SMALL.symbol, market: "SH", columns: noise(random, SMALL.rows) },
      ]);
      const crashing = await startService({ persistDir });
      await publishPack(crashing, TRADEDATE, pack);
      const { key } = await account(crashing, { plan: "flagship", limits: { requests: 2, files: 2 } });
      const reading = await openAnswer(`${crashing.baseUrl}/api`, { body: file(key) });
      expect(reading.status).toBe(200);
      await crashing.stop();
      {
        await using early = await startService({ persistDir, nowAt: minutesLater(4) });
        expect((await early.post(page(key))).reason).toBe("slot_busy");
      }
      await using late = await startService({ persistDir, nowAt: minutesLater(6) });
      pageOf(await late.post(page(key)));
      expect((await late.post(page(key))).reason).toBe("quota_used");
    } finally {
      await rm(persistDir, { recursive: true, force: true });
    }
  });
});
