import { afterAll, describe, expect, it } from "vitest";
import { burst, day } from "../support/builders.ts";
import type { Answer } from "../support/http-client.ts";
import { publish } from "../support/operator.ts";
import { orderHistory, readAllPages } from "../support/paging.ts";
import { MAIN, sharedWorld } from "./world.ts";

/** The day whose object the last test deletes. */
const LARGE = "20260204";

const world = await sharedWorld();
await publish(
  world.service,
  day({ tradedate: LARGE, securities: [burst({ symbol: "600519", time: "093000000", rows: 25_000 })] }),
);
afterAll(() => world.stop());

const good = { symbol: "600519", tradedate: MAIN };
type Line = Record<string, unknown>;

/** Waits for the log lines of an answer, which may be written after the answer is read, and returns them. */
async function linesOf(answer: Answer): Promise<Line[]> {
  const id = String(answer.headers["x-request-id"]);
  const about = () => world.service.logs.filter((line) => line.includes(id));
  while (about().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  return about().map((line) => JSON.parse(line) as Line);
}

describe("the request log", () => {
  it("has one line per request with id, account, interface, code, reason, rows, bytes, reads and stages", async () => {
    const served = await world.ask(good);
    const lines = await linesOf(served);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      interface: "level2_order_history",
      code: 200,
      rows: 13,
      bytes: served.bytes.length,
      r2Operations: 1,
      symbol: "600519",
      tradedate: MAIN,
    });
    expect(lines[0]?.accountId).toMatch(/\S/);
    expect(lines[0]?.reason).toMatch(/\S/);
    const stages = Object.values(lines[0]?.stageMs as Record<string, number>);
    expect(stages.length).toBeGreaterThanOrEqual(3);
    for (const milliseconds of stages) expect(milliseconds).toBeGreaterThanOrEqual(0);
  });

  it("contains the reason and code of a refusal", async () => {
    const [line] = await linesOf(await world.ask({ ...good, symbol: "x" }));
    expect(line).toMatchObject({ code: 422, reason: "param_invalid" });
  });

  it("shows one R2 read for every page and for a Parquet answer", async () => {
    const fresh = world.service.logs.length;
    const params = { symbol: "600519", tradedate: LARGE, page_size: 9_999 };
    const paged = await readAllPages(world.service, { apikey: world.keys.flagship, params });
    expect(paged.pages).toHaveLength(3);
    const file = await world.service.post(
      orderHistory({ apikey: world.keys.flagship, params: { ...good, tradedate: LARGE, format: "parquet" } }),
    );
    await linesOf(file);
    const lines = world.service.logs.slice(fresh).map((line) => JSON.parse(line) as Line);
    const served = lines.filter((line) => line.tradedate === LARGE);
    expect(served.map((line) => line.r2Operations)).toEqual([1, 1, 1, 1]);
    expect(served.map((line) => line.rows)).toEqual([9_999, 9_999, 5_002, 25_000]);
  });

  it("distinguishes a busy slot from a fault, although both are 503", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => world.ask(good)));
    const busy = answers.find((answer) => answer.reason === "slot_busy");
    if (busy === undefined) throw new Error("none of 30 concurrent requests was refused with slot_busy");
    const [line] = await linesOf(busy);
    await (await world.service.mf.getR2Bucket("PACKS")).delete(`orders/2026/${LARGE}/1.parquet`);
    const [fault] = await linesOf(await world.ask({ ...good, tradedate: LARGE }));
    expect(line?.code).toBe(503);
    expect(fault?.code).toBe(503);
    expect(fault?.kind).not.toBe(line?.kind);
    expect(fault?.credited).toBe(true);
  });
});
