import { describe, expect, it } from "vitest";
import { checkRate } from "../../../src/access/identify.ts";

/** Returns a binding that allows `limit` requests for each account. */
function binding(limit: number): RateLimit & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    limit: async ({ key }) => {
      asked.push(key);
      return { success: asked.filter((each) => each === key).length <= limit };
    },
  };
}

describe("the per-second limit (contract 7.4)", () => {
  it("counts requests per account, and a refusal asks the caller to wait for 10 s", async () => {
    const rate = binding(1);
    expect(await checkRate(rate, "on", "a")).toBeNull();
    expect(await checkRate(rate, "on", "a")).toEqual({ reason: "rate_limited", retryAfterSeconds: 10 });
    expect(await checkRate(rate, "on", "b")).toBeNull();
  });

  it("makes no call to the binding when rate limiting is off", async () => {
    const rate = binding(0);
    expect(await checkRate(rate, "off", "a")).toBeNull();
    expect(rate.asked).toEqual([]);
  });
});
