import { describe, expect, it } from "vitest";
import { parseKeyFile } from "../../../src/cli/key-commands.ts";
import { decodeOperatorText } from "../../../src/cli/operator-text.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const joined = (...pieces: Uint8Array[]) => new Uint8Array(Buffer.concat(pieces));
/** 客户甲 and 客户丙 in GBK. */
const ACCOUNTS = [Buffer.from("bfcdbba7bcd7", "hex"), Buffer.from("bfcdbba7b1fb", "hex")] as const;
const HEADING = utf8("key,account,plan,start,end\r\n");
const rest = (plan: string) => utf8(`,${plan},2026-01-01,2027-01-01\r\n`);
const row = (key: string, account: Uint8Array, plan: string) => joined(utf8(`${key},`), account, rest(plan));

describe("text from an operator", () => {
  it("is read as UTF-8, with or without a byte order mark", () => {
    for (const mark of ["", "\uFEFF"]) {
      expect(decodeOperatorText(utf8(`${mark}a,客户甲\n`), "f.csv")).toBe("a,客户甲\n");
    }
    expect(decodeOperatorText(new Uint8Array(0), "f.csv")).toBe("");
  });

  it("is read as GB18030, the encoding of CSV files from Chinese Excel, when it is not UTF-8", () => {
    const file = joined(
      HEADING,
      row("legacy-key-one-aaaaaaaaaaaa", ACCOUNTS[0], "trial"),
      row("legacy-key-two-bbbbbbbbbbbb", ACCOUNTS[1], "flagship"),
    );
    const { rows, refused } = parseKeyFile(decodeOperatorText(file, "keys.csv"), "keys.csv");
    expect(rows.map(({ row: { account, plan } }) => [account, plan])).toEqual([
      ["客户甲", "trial"],
      ["客户丙", "flagship"],
    ]);
    expect(refused).toEqual([]);
    // This character has four bytes in GB18030, and GBK lacks it.
    expect(decodeOperatorText(Buffer.from("95328236", "hex"), "f.csv")).toBe("\u{20000}");
  });

  it("is read when its lines end with CR only, and line numbers stay correct", () => {
    const text =
      "key,account,plan,start,end\rlegacy-key-one-aaaaaaaaaaaa,1,trial,20260101,20270101\rx,2,gold,,\r";
    const { rows, refused } = parseKeyFile(decodeOperatorText(utf8(text), "keys.csv"), "keys.csv");
    expect(rows.map(({ line, row: { account } }) => [line, account])).toEqual([[2, "1"]]);
    expect(refused.map(({ line }) => line)).toEqual([3]);
    expect(decodeOperatorText(utf8("a\r\nb\rc\n"), "f.csv")).toBe("a\r\nb\rc\n");
  });

  it.each([
    ["bytes of no known encoding", joined(HEADING, row("k", Uint8Array.of(0xff, 0xff), "trial")), 2],
    [
      "a GBK character cut in half",
      joined(HEADING, rest("trial"), row("k", ACCOUNTS[0].subarray(0, 5), "trial")),
      3,
    ],
    ["a UTF-16 byte order mark", Buffer.from("\uFEFFkey,account\n", "utf16le"), 1],
    ["UTF-16 characters without a mark", Buffer.from("key,account\nk,a\n", "utf16le"), 1],
    [
      "lines in two encodings",
      joined(HEADING, row("k", ACCOUNTS[0], "trial"), utf8("k,客户甲丙,trial\n")),
      3,
    ],
    ["U+FFFD from an earlier conversion", utf8("key,account\r\nk,\uFFFD\uFFFD\uFFFD\r\n"), 2],
  ])("containing %s is refused, and the message names the line but quotes nothing", (_, bytes, line) => {
    const refusal = () => decodeOperatorText(bytes, "keys.csv");
    expect(refusal).toThrow(new RegExp(`^keys\\.csv:${line}: `));
    expect(refusal).toThrow(/Save the file as UTF-8/);
    expect(refusal).not.toThrow(/trial/);
  });
});
