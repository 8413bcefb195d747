import { describe, expect, it } from "vitest";
import { drivePath, sharePath } from "../../../src/shares/drive-path.ts";
import { traversals } from "../../support/traversals.ts";

const day = "20260311";

describe("a path below /s", () => {
  it.each([
    ["/s/abc", { shareId: "abc", rest: null }],
    ["/s/abc/", { shareId: "abc", rest: "" }],
    ["/s/abc/20260311/", { shareId: "abc", rest: "20260311/" }],
    ["/s/abc/a%2Fb//", { shareId: "abc", rest: "a%2Fb//" }],
    ["/s//x", { shareId: "", rest: "x" }],
  ])("is split into share and rest: %s", (path, expected) => {
    expect(sharePath(path)).toEqual(expected);
  });
});

describe("a path inside a share", () => {
  it.each([
    ["", { kind: "root" }],
    ["manifest.json", { kind: "manifest" }],
    ["SHA256SUMS", { kind: "sums" }],
    ["20260311", { kind: "day", tradedate: day, slash: false }],
    ["20260311/", { kind: "day", tradedate: day, slash: true }],
    ["20260311/by-symbol", { kind: "by_symbol", tradedate: day, slash: false }],
    ["20260311/by-symbol/", { kind: "by_symbol", tradedate: day, slash: true }],
    ["20260311/20260311_a.zip", { kind: "file", tradedate: day, name: "20260311_a.zip" }],
    ["2026%30311/%61.zip", { kind: "file", tradedate: day, name: "a.zip" }],
    ["20260311/%E8%A1%8C.zip", { kind: "file", tradedate: day, name: "行.zip" }],
    [
      "20260311/by-symbol/600519.SH.parquet",
      { kind: "security", tradedate: day, dataset: "orders", symbol: "600519", market: "SH" },
    ],
    [
      "20260311/by-symbol/600519.SH_trades.parquet",
      { kind: "security", tradedate: day, dataset: "trades", symbol: "600519", market: "SH" },
    ],
    [
      "20260311/by-symbol/000001.SZ.parquet",
      { kind: "security", tradedate: day, dataset: "orders", symbol: "000001", market: "SZ" },
    ],
  ])("names a resource: %s", (rest, expected) => {
    expect(drivePath(rest)).toEqual(expected);
  });

  it.each([
    "/",
    "x",
    "20260230/",
    "20260311//",
    "20260311/a/b",
    "20260311/a/",
    "20260311/by-symbol/600519.parquet",
    "20260311/by-symbol/600519.BJ.parquet",
    "20260311/by-symbol/600519.sh.parquet",
    "20260311/by-symbol/60051.SH.parquet",
    "20260311/by-symbol/600519.SH.parquet/",
    "20260311/by-symbol/600519.SH_orders.parquet",
    "20260311/by-symbol/600519.SH_.parquet",
    "20260311/a%2Fb",
    "20260311/a%5Cb",
    "20260311/a%00b",
    "20260311/%",
    "20260311/%ff",
    "20260311/..",
    "20260311/%2e%2e",
    "manifest.json/",
    "SHA256SUMS/x",
  ])("names no resource: %s", (rest) => {
    expect(drivePath(rest)).toBeNull();
  });

  it("never names a file of another day or folder, for 500 encoded traversals", () => {
    const named = traversals(500).map(drivePath);
    // If such a path is accepted, it names a file directly in a day's folder. No share has a file of this name.
    for (const path of named) {
      if (path !== null)
        expect(path).toMatchObject({ kind: "file", name: expect.not.stringMatching(/[/\\]|^\.+$/) });
    }
  });
});
