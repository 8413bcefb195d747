import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { firstCharacters, generateKey, hashKey, isPlausibleKey } from "../../../src/access/key.ts";
import { randomBase62 } from "../../../src/base/base62.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("an edgetape key (contract 7.6)", () => {
  it("consists of et_, 30 random base62 characters and a 6-character checksum, and passes the key check", () => {
    const keys = Array.from({ length: 500 }, generateKey);
    for (const key of keys) {
      expect(key).toMatch(/^et_[0-9A-Za-z]{36}$/);
      expect(isPlausibleKey(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(500);
  });

  it("has a base62 CRC-32 checksum that equals the result of an independent implementation", () => {
    const body = `et_${"0123456789".repeat(3)}`;
    let crc = 0xffff_ffff;
    for (const byte of new TextEncoder().encode(body)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
    }
    let rest = BigInt((crc ^ 0xffff_ffff) >>> 0);
    let check = "";
    for (let i = 0; i < 6; i++) {
      check = ALPHABET.charAt(Number(rest % 62n)) + check;
      rest /= 62n;
    }
    expect(isPlausibleKey(body + check)).toBe(true);
  });

  it("is refused when any single character is wrong or any two neighbouring characters are swapped", () => {
    const key = generateKey();
    for (let at = 3; at < key.length; at++) {
      for (const other of ALPHABET) {
        if (other === key[at]) continue;
        expect(isPlausibleKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
      }
      const [a, b] = [key[at], key[at + 1]];
      if (b === undefined || a === b) continue;
      expect(isPlausibleKey(`${key.slice(0, at)}${b}${a}${key.slice(at + 2)}`)).toBe(false);
    }
    expect(["et_", "et_1", `${key}0`, key.slice(0, -1)].map(isPlausibleKey)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("is distinguished from imported keys in other formats, which need no checksum", () => {
    expect(["a", "ET_x", "sk-123", "中文", "et"].map(isPlausibleKey)).toEqual([true, true, true, true, true]);
  });

  it("is stored as SHA-256 of its UTF-8 bytes, and at most a quarter of a short key is shown", async () => {
    for (const key of [generateKey(), "中文 key"]) {
      expect(await hashKey(key)).toBe(createHash("sha256").update(key, "utf8").digest("hex"));
    }
    expect(firstCharacters(`et_ABCDE${"x".repeat(31)}`)).toBe("et_ABCDE");
    expect(firstCharacters("12345678")).toBe("12");
    expect(firstCharacters("abc")).toBe("");
  });

  it("uses every base62 character about equally often", () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250);
  });
});
