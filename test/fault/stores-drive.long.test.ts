/**
 * Makes each store call fail, lose its answer or be late, in every kind of request to a share and in the last step of a
 * publish. A share then returns the right bytes, 503 or a broken body. A publish leaves the old or the new revision
 * served.
 */
import { describe, expect, it } from "vitest";
import { day, type Row, randomSecurity } from "../support/builders.ts";
import { basic, shareOf, tradesFile } from "../support/drive.ts";
import type { StoreFault } from "../support/fault-worker.ts";
import { publishFiles } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { account, loadWeekdays, publish, publishPack, uploadPack } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { testService } from "../support/test-service.ts";
import { callsOf, type FaultedRequest, sendWithFault, spotsOf } from "./failing-calls.ts";

const TRADEDATE = "20260311";
const SYMBOL = "600519";

const random = printedRandom("failing stores of the drive");
const service = await testService({ entry: "test/support/fault-worker.ts" });
await loadWeekdays(service, "20260101", "20261231");
await publish(
  service,
  day({ tradedate: TRADEDATE, securities: [randomSecurity(random, { symbol: SYMBOL, rows: 3_000 })] }),
);
await publishFiles(service, tradesFile("20260310", Buffer.alloc(300_000, "trades")));
const { key } = await account(service, { plan: "flagship" });
const share = await shareOf(service, key);

const onDrive = (path: string, method = "GET", headers: Record<string, string> = {}): FaultedRequest => ({
  method,
  url: share.url + path,
  headers: { ...basic(share.shareId, share.password), ...headers },
});

const kinds: Record<string, () => FaultedRequest> = {
  "the page": () => onDrive(""),
  "a folder": () => onDrive("20260310/"),
  "by-symbol": () => onDrive(`${TRADEDATE}/by-symbol/`),
  "the manifest": () => onDrive("manifest.json"),
  "a file": () => onDrive("20260310/20260310_trades.zip"),
  "a range": () => onDrive("20260310/20260310_trades.zip", "GET", { range: "bytes=100000-200000" }),
  "one security": () => onDrive(`${TRADEDATE}/by-symbol/${SYMBOL}.SH.parquet`),
  PROPFIND: () => onDrive("20260310/", "PROPFIND", { depth: "1" }),
  "a wrong password": () => ({ ...onDrive(""), headers: basic(share.shareId, "wrong") }),
};

describe("a share whose stores fail", () => {
  for (const [name, make] of Object.entries(kinds)) {
    it(`returns the right bytes, 503 or a broken body for ${name}`, async () => {
      const request = { body: undefined, ...make() };
      const clean = await call(request.url, request);
      expect(clean.status).toBeLessThan(402);
      const calls = await callsOf(service, request);
      for (const { fault, k, call: corrupt } of spotsOf(calls)) {
        const about = `${name}: ${fault} of call ${k}, ${corrupt}`;
        const seen = await sendWithFault(request, fault, k);
        if (seen.kind === "broken") {
          expect(corrupt, about).toBe("r2 get");
          // When a body breaks before its first byte, the service notices while it can still refuse the request.
          expect(fault, about).not.toBe("gone");
        } else if (seen.answer.status === 503) expect(seen.answer.reason, about).toBe("unavailable");
        // Repeated wrong passwords can cause a lockout.
        else if (seen.answer.status === 429) expect(name).toBe("a wrong password");
        else {
          expect(seen.answer.status, about).toBe(clean.status);
          // A refusal contains its request id, so its bytes differ.
          if (clean.status < 400) expect(seen.answer.bytes.equals(clean.bytes), about).toBe(true);
        }
      }
    });
  }
});

describe("a publish whose stores fail", () => {
  const uploads = `/admin/days/${TRADEDATE}/uploads`;

  /** Returns the rows that the service serves for the day. Throws unless they equal one of `choices`. */
  async function served(choices: Row[][]): Promise<Row[]> {
    const page = pageOf(
      await service.post(orderHistory({ apikey: key, params: { symbol: SYMBOL, tradedate: TRADEDATE } })),
    );
    const found = choices.find((rows) => JSON.stringify(rows) === JSON.stringify(page.items));
    if (found === undefined) throw new Error("the served rows are neither the old nor the new ones");
    return found;
  }

  it("leaves either the old or the new rows served, whichever store call of its last step fails, and succeeds when repeated", async () => {
    const make = () =>
      day({ tradedate: TRADEDATE, securities: [randomSecurity(random, { symbol: SYMBOL, rows: 500 })] });
    let before = make();
    await publish(service, before);
    const complete = async (fault: StoreFault, k: number, id?: string) => {
      const after = make();
      const pack = (await packOf(after)).bytes;
      const begun = await uploadPack(service, TRADEDATE, pack);
      if (begun.state === "served") throw new Error("the pack is already served");
      const headers = { authorization: `Bearer ${service.adminToken}` };
      const url = `${service.baseUrl}${uploads}/${begun.uploadId}/complete`;
      const seen = await sendWithFault({ method: "POST", url, headers, body: undefined }, fault, k, id);
      if (seen.kind === "broken") throw new Error("an admin answer broke");
      await served([before.rowsOf(SYMBOL), after.rowsOf(SYMBOL)]);
      await publishPack(service, TRADEDATE, pack);
      expect(await served([after.rowsOf(SYMBOL)])).toHaveLength(500);
      before = after;
      return seen.answer.status;
    };
    await complete("fail", 0, "clean");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const calls = (await (await fetch(`${service.baseUrl}/calls?id=clean`)).json()) as string[];
    expect(calls.length).toBeGreaterThan(5);
    const statuses = new Map<number, number>();
    for (const { fault, k } of spotsOf(calls)) {
      const status = await complete(fault, k);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    console.log(`publish: ${calls.join(", ")}; HTTP statuses`, Object.fromEntries(statuses));
    expect([...statuses.keys()].every((status) => [200, 201, 503].includes(status))).toBe(true);
  });
});
