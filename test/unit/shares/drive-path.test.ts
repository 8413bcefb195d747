import { describe, expect, it } from "vitest";
import { drivePath, sharePath } from "../../../src/shares/drive-path.ts";
import { traversals } from "../../support/traversals.ts";

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
  it("may be percent-encoded", () => {
    const file = { kind: "file", tradedate: "20260311" };
    expect(drivePath("2026%30311/%61.zip")).toEqual({ ...file, name: "a.zip" });
    expect(drivePath("20260311/%E8%A1%8C.zip")).toEqual({ ...file, name: "行.zip" });
  });

  it.each([
    "/",
    "x",
    "20260230/",
    "20260311//",
    "20260311/a/b",
    "20260311/a/",
    "20260311/by-symbol/600519.BJ.parquet",
    "20260311/by-symbol/60051.SH.parquet",
    "20260311/by-symbol/600519.SH.parquet/",
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
