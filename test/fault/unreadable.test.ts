/**
 * A published block matches its checksum but cannot be decoded. This is more likely a bug than damage, so the caller
 * gets 503 and a credit, and the day stays available for a corrected deployment.
 */
import { crc32 } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { encodeBlocks } from "../../src/packs/blocks-blob.ts";
import { blockEnd } from "../../src/packs/layout.ts";
import { locateIndex } from "../../src/packs/locate.ts";
import { day, order, security } from "../support/builders.ts";
import { account, packOf, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { startService } from "../support/service.ts";

const TRADEDATE = "20260311";

const service = await startService();
const source = day({
  tradedate: TRADEDATE,
  securities: [security("000001", [order("093000000")]), security("600519", [order("093000000")])],
});
await publish(service, source);
const { key: apikey } = await account(service, { plan: "trial" });
await storeUnreadable("600519");
afterAll(() => service.stop());

/** Stores the pack with an unreadable block of `symbol` and matching checksums in the catalog. */
async function storeUnreadable(symbol: string): Promise<void> {
  const pack = Buffer.from(await packOf(source));
  const { index } = await locateIndex(pack.length, async (from, length) =>
    pack.subarray(from, from + length),
  );
  const entry = index.entries.find((each) => each.symbol === symbol);
  const [block] = entry?.blocks ?? [];
  if (entry === undefined || block === undefined) throw new Error(`the pack holds no ${symbol}`);
  const from = entry.offset + block.offset;
  pack.fill(0xff, from, from + 2);
  const crc = crc32(pack.subarray(from, entry.offset + blockEnd(entry, 0)));
  const objectKey = `orders/2026/${TRADEDATE}/1.parquet`;
  const { etag } = await (await service.mf.getR2Bucket("PACKS")).put(objectKey, pack);
  const db = await service.mf.getD1Database("DB");
  await db.batch([
    db.prepare("UPDATE day_packs SET etag = ? WHERE object_key = ?").bind(etag, objectKey),
    db
      .prepare("UPDATE day_securities SET blocks = ? WHERE symbol = ?")
      .bind([...encodeBlocks([{ ...block, crc }])], symbol),
  ]);
}

const ask = (symbol: string) =>
  service.post(orderHistory({ apikey, params: { symbol, tradedate: TRADEDATE } }));

describe("a block that passes its checksum but cannot be read (contract 1.6, 2.3)", () => {
  it("causes 503, a credit and a logged fault with its position, but does not mark the day damaged", async () => {
    for (let time = 0; time < 3; time++) {
      const answer = await ask("600519");
      expect([answer.status, answer.envelope.code, answer.reason]).toEqual([503, 503, "unavailable"]);
    }
    const line = service.logs.map((text) => JSON.parse(text)).findLast(({ kind }) => kind === "fault");
    expect(line).toMatchObject({ symbol: "600519", credited: true });
    expect(line.fault).toMatch(/600519\.SH in orders\/2026\/20260311\/1\.parquet cannot be read: .*Error/);

    const other = await ask("000001");
    expect(pageOf(other).items).toEqual(source.rowsOf("000001"));
    expect(String(other.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });
});
