import { describe, expect, it } from "vitest";
import { csvOf } from "../../../src/cli/usage-command.ts";

const row = (accountId: string) => ({
  accountId,
  service: "level2_order_history",
  requests: 12_345,
  files: 3,
  bytes: 1_234_567_890_123,
});

describe("usage as CSV", () => {
  it("has a header, plain digits, and quotes only where an id needs them", () => {
    const usage = [row("customer-1"), row('量化, "A"组'), row("two\nlines")];
    expect(csvOf({ month: "202611", usage })).toEqual([
      "account,service,requests,files,bytes",
      "customer-1,level2_order_history,12345,3,1234567890123",
      '"量化, ""A""组",level2_order_history,12345,3,1234567890123',
      '"two\nlines",level2_order_history,12345,3,1234567890123',
    ]);
    expect(csvOf({ month: "202611", usage: [] })).toEqual(["account,service,requests,files,bytes"]);
  });
});
