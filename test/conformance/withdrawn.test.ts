/** The effect of an operator's actions on callers when isolates do not cache days (contract 3.13, 5.4). */
import { afterAll, describe, expect, it } from "vitest";
import type { DayChanged } from "../../src/admin/wire.ts";
import { day, order, security } from "../support/builders.ts";
import { asOperator, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { startWorld } from "./world.ts";

const DATE = "20260310";
const world = await startWorld();
for (const priceE4 of [1_000, 2_000]) {
  const orders = [order("093000000", { priceE4 }), order("093000001"), order("093000002")];
  await publish(world.service, day({ tradedate: DATE, securities: [security("600519", orders)] }));
}
afterAll(() => world.stop());

const act = (action: string, body: object) =>
  asOperator<DayChanged>(world.service, "POST", `/admin/days/${DATE}/${action}`, body);
const ask = (params: object = {}) => world.ask({ symbol: "600519", tradedate: DATE, ...params });
const data = async <T>(apiname: string, params: object): Promise<T> =>
  (await world.service.post({ apiname, apikey: world.keys.flagship, params })).envelope.data as T;
const priceOf = async () => pageOf(await ask({ page_size: 1 })).items[0]?.[7];

describe("an operator's action", () => {
  it("that withdraws a day makes pages, files and lists return 1002 from the next request", async () => {
    expect(await priceOf()).toBe(0.2);
    await act("withdraw", { revision: 2, note: "wrong prices" });
    expectRefusal(await ask(), { reason: "withdrawn", says: [DATE] });
    expectRefusal(await ask({ format: "parquet" }), { reason: "withdrawn", status: 404 });
    for (const apiname of ["data_symbols", "order_history_estimate"]) {
      const params = { tradedate: DATE, ...(apiname === "data_symbols" ? {} : { symbol: "600519" }) };
      const answer = await world.service.post({ apiname, apikey: world.keys.flagship, params });
      expectRefusal(answer, { reason: "withdrawn" });
    }
    const { days } = await data<{ days: { tradedate: string }[] }>("data_status", { month: "202603" });
    expect(days.find(({ tradedate }) => tradedate === DATE)).toMatchObject({
      tradedate: DATE,
      state: "withdrawn",
      revision: null,
      build_id: null,
      rows: null,
      securities: null,
      size_bytes: null,
      published_at: null,
      datasets: { orders: { state: "withdrawn", revision: null, build_id: null } },
    });
  });

  it("that restores a day's previous content creates a new revision, which refuses older cursors", async () => {
    await act("publish", { revision: 2 });
    const { next_cursor: cursor } = pageOf(await ask({ page_size: 1 }));
    await act("restore", { revision: 3 });
    const answer = await ask();
    expect(answer.headers["x-revision"]).toBe("4");
    expect(await priceOf()).toBe(0.1);
    expectRefusal(await ask({ cursor }), { reason: "data_rebuilt" });
    const { changes } = await data<{ changes: { tradedate: string; kind: string; revision: number }[] }>(
      "data_changes",
      {},
    );
    expect(
      changes.filter(({ tradedate }) => tradedate === DATE).map(({ kind, revision }) => [kind, revision]),
    ).toEqual([
      ["published", 1],
      ["published", 2],
      ["withdrawn", 2],
      ["published", 3],
      ["restored", 4],
    ]);
  });

  it("on one day does not interrupt the paging of other days", async () => {
    const asked = { symbol: "600519", tradedate: "20260311", page_size: 5 };
    const first = pageOf(await world.ask(asked));
    await act("withdraw", { revision: 4 });
    const request = orderHistory({
      apikey: world.keys.flagship,
      params: { ...asked, cursor: first.next_cursor },
    });
    expect(pageOf(await world.service.post(request)).items).toHaveLength(5);
  });
});
