import { describe, expect, it } from "vitest";
import { importKeys, parseKeyFile } from "../../../src/cli/key-commands.ts";
import { fakeService } from "./fake-service.ts";

const HASH = "ab".repeat(32);
const START = Date.parse("2026-01-01T00:00:00+08:00");
const END = Date.parse("2027-01-01T00:00:00+08:00");

describe("a file of existing customers' keys", () => {
  it("is read in any column order, with quotes and blanks, and with keys in plain text or as hashes", () => {
    const text = `\uFEFFaccount, plan ,start,end,sha256,key\r\n"Chen, Wei",Flagship,2026-01-01,2027-01-01,,"a ""b"",c"\r\n\r\n17,trial,20260101,2027-01-01T00:00:00+08:00,${HASH.toUpperCase()},\r\n`;
    expect(parseKeyFile(text, "keys.csv")).toEqual({
      rows: [
        { line: 2, row: { key: 'a "b",c', account: "Chen, Wei", plan: "flagship", start: START, end: END } },
        { line: 4, row: { sha256: HASH, account: "17", plan: "trial", start: START, end: END } },
      ],
      refused: [],
    });
  });

  it("may contain invalid rows, which are reported by line number and without their keys", () => {
    const text = [
      "key,account,plan,start,end,sha256",
      "SECRET-ONE,1,gold,20260101,20270101,",
      "SECRET-TWO,2,trial,tomorrow,20270101,",
      "SECRET-THREE,3,trial,20270101,20260101,",
      `SECRET-FOUR,4,trial,20260101,20270101,${HASH}`,
      ",5,trial,20260101,20270101,",
      "SECRET-SIX,,trial,20260101,20270101,",
      "good,7,trial,20260101,20270101,",
    ].join("\n");
    const { rows, refused } = parseKeyFile(text, "keys.csv");
    expect(rows.map(({ row }) => row.account)).toEqual(["7"]);
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(refused[1]?.reason).toMatch(/^start is neither/);
    expect(refused[2]?.reason).toContain("start must be before end");
    expect(refused[3]?.reason).toContain("either key or sha256");
    expect(JSON.stringify(refused)).not.toContain("SECRET");
  });

  it.each(["", "key,account,plan,start\n", "account,plan,start,end\n", "a;b\n"])(
    "is refused without a valid header: %j",
    (text) => {
      expect(() => parseKeyFile(text, "keys.csv")).toThrow(/keys\.csv needs a heading/);
    },
  );
});

describe("the import of a key file", () => {
  const line = (n: number) => ({
    line: n + 1,
    row: { key: `key-${n}`, account: "1", plan: "trial" as const, start: START, end: END },
  });

  it("sends 1,000 rows per request and reports refused rows by the file's line numbers", async () => {
    const { client, asked } = fakeService((_, count) => ({
      json: {
        imported: 1,
        unchanged: 2,
        refused: count === 3 ? [{ row: 4, error: "Another account has this key." }] : [],
      },
    }));
    const rows = Array.from({ length: 2_500 }, (_, at) => line(at + 1));
    const result = await importKeys(client, { rows, refused: [{ line: 9_000, reason: "bad" }] });
    expect(asked.map(({ body }) => JSON.parse(String(body)).rows.length)).toEqual([1_000, 1_000, 500]);
    expect(result).toEqual({
      imported: 3,
      unchanged: 6,
      refused: [
        { line: 2_005, reason: "Another account has this key." },
        { line: 9_000, reason: "bad" },
      ],
    });
  });
});
