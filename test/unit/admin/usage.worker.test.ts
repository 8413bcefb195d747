import { describe, expect, it } from "vitest";
import type { UsageList } from "../../../src/admin/wire.ts";
import { writeUsage } from "../../../src/catalog/usage.ts";
import { admin, refusal, testEnv } from "./operator.ts";

const { DB } = testEnv;
const counts = (day: string, requests: number, files: number, bytes: number) => ({
  day,
  requests,
  files,
  bytes,
});

describe("the usage of accounts", () => {
  it("is summed over the Beijing days of one month, by account and interface", async () => {
    const orders = { accountId: "客户-7", service: "level2_order_history" };
    await writeUsage(DB, orders, [
      counts("20261031", 1_000, 1_000, 1_000),
      counts("20261101", 10, 1, 5_000),
      counts("20261130", 20, 2, 2 ** 40),
      counts("20261201", 1_000, 1_000, 1_000),
    ]);
    await writeUsage(DB, { ...orders, service: "auction_tick" }, [counts("20261102", 3, 3, 900)]);
    await writeUsage(DB, { ...orders, accountId: "a" }, [counts("20261115", 1, 0, 44)]);

    const { status, body } = await admin<UsageList>("GET", "/usage?month=202611");
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        month: "202611",
        usage: [
          { accountId: "a", service: "level2_order_history", requests: 1, files: 0, bytes: 44 },
          { accountId: "客户-7", service: "auction_tick", requests: 3, files: 3, bytes: 900 },
          {
            accountId: "客户-7",
            service: "level2_order_history",
            requests: 30,
            files: 3,
            bytes: 2 ** 40 + 5_000,
          },
        ],
      },
    });
    expect((await admin<UsageList>("GET", "/usage?month=202609")).body.usage).toEqual([]);
  });

  it.each(["", "?month=2026-11", "?month=202613", "?month=20261101"])(
    "is refused for the query string %j",
    async (query) => {
      expect(await admin("GET", `/usage${query}`)).toMatchObject(refusal(400, "malformed", "YYYYMM"));
    },
  );
});
