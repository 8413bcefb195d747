import { describe, expect, it } from "vitest";
import { bodyOf, fileOf, programs } from "../../../../src/console/browser/request.js";

const field = (name: string, value: string, more: { numeric?: true; beside?: true } = {}) => ({
  name,
  value,
  ...more,
});
const URL = "https://api.example.com/api";

describe("the request made from the `Try it` form", () => {
  it("omits empty inputs, converts numeric inputs to integers, and puts `fields` beside `params`", () => {
    const body = bodyOf("level2_order_history", [
      field("symbol", " 600519 "),
      field("tradedate", ""),
      field("page_size", "500", { numeric: true }),
      field("fields", "time,price", { beside: true }),
    ]);
    expect(body).toEqual({
      apiname: "level2_order_history",
      apikey: "$EDGETAPE_KEY",
      params: { symbol: "600519", page_size: 500 },
      fields: "time,price",
    });
  });

  it("keeps a numeric input unchanged if it is not an integer", () => {
    const body = bodyOf("x", [field("year", "20a6", { numeric: true })]);
    expect(body.params).toEqual({ year: "20a6" });
  });

  it("downloads a file only if the format is parquet", () => {
    expect(fileOf(bodyOf("x", [field("format", "json")]))).toBeNull();
    const body = bodyOf("x", [
      field("format", "parquet"),
      field("symbol", "600519"),
      field("tradedate", "20260311"),
    ]);
    expect(fileOf(body)).toBe("600519_20260311_orders.parquet");
    expect(fileOf({ ...body, apiname: "level2_trade_history" })).toBe("600519_20260311_trades.parquet");
  });

  it("is shown as a program that reads the key from the environment", () => {
    const { curl, python, typescript } = programs(bodyOf("account_info", []), URL);
    expect(curl).toContain(`"'"$EDGETAPE_KEY"'"`);
    expect(python).toContain('os.environ["EDGETAPE_KEY"]');
    expect(typescript).toContain("process.env.EDGETAPE_KEY");
  });
});
