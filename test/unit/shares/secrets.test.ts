import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  openPassword,
  parseShareSecrets,
  passwordOf,
  type ShareSecrets,
  sealPassword,
  sharePassword,
} from "../../../src/shares/secrets.ts";

const SECRET = "a secret of thirty-two characters";
const OTHER = "another secret of many characters";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ring = (...entries: [number, string][]): ShareSecrets => ({
  current: Math.max(...entries.map(([version]) => version)),
  secrets: new Map(entries),
});

describe("a share's password (contract 8.4)", () => {
  it("consists of 24 base62 characters of an HMAC over version and id, and is the same each time", () => {
    const digest = createHmac("sha256", SECRET).update("edgetape share password 3 abc").digest("hex");
    let number = BigInt(`0x${digest}`);
    let expected = "";
    for (; expected.length < 24; number /= 62n) expected += DIGITS[Number(number % 62n)];
    expect(sharePassword(SECRET, 3, "abc")).toBe(expected);
    expect(sharePassword(SECRET, 3, "abc")).toMatch(/^[0-9A-Za-z]{24}$/);
  });

  it("differs for another id, version or secret", () => {
    const passwords = [
      sharePassword(SECRET, 3, "abc"),
      sharePassword(SECRET, 3, "abd"),
      sharePassword(SECRET, 4, "abc"),
      sharePassword(OTHER, 3, "abc"),
      sharePassword(SECRET, 3, ""),
    ];
    expect(new Set(passwords).size).toBe(5);
  });

  it("cannot be derived once its secret is removed", () => {
    const share = { shareId: "abc", secretVersion: 1 };
    expect(passwordOf(ring([1, SECRET], [2, OTHER]), share)).toBe(sharePassword(SECRET, 1, "abc"));
    expect(passwordOf(ring([2, OTHER]), share)).toBeNull();
  });

  it("uses every base62 character about equally often: 48,000 characters show no bias", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2_000; i++) {
      for (const digit of sharePassword(SECRET, 1, String(i))) {
        counts.set(digit, (counts.get(digit) ?? 0) + 1);
      }
    }
    const mean = 48_000 / 62;
    // Chi-squared with 61 degrees of freedom exceeds 120 only once in 100,000 times.
    const chi = [...DIGITS].reduce((sum, digit) => sum + ((counts.get(digit) ?? 0) - mean) ** 2 / mean, 0);
    expect(chi).toBeLessThan(120);
  });
});

describe("SHARE_SECRET", () => {
  it("may be one secret, or several with versions; new shares use the highest version", () => {
    expect(parseShareSecrets(SECRET.replaceAll(" ", "_"))).toEqual(ring([1, SECRET.replaceAll(" ", "_")]));
    const [one, two] = ["1".repeat(32), "2".repeat(40)];
    expect(parseShareSecrets(`2:${two}, 1:${one}\n`)).toEqual(ring([2, two], [1, one]));
    expect(parseShareSecrets(`1:${one},12:${two}`)?.current).toBe(12);
  });

  it.each(["", "  ", "short", "1:short", `${"1".repeat(32)},${"2".repeat(32)}`, `x:${"1".repeat(29)}`])(
    "cannot be %j",
    (text) => {
      expect(parseShareSecrets(text)).toBeNull();
    },
  );
});

describe("the password of an external share", () => {
  const drive = { dataType: "level2", year: 2024 } as const;

  it("is decrypted with the secret that encrypted it, even after a new secret was added", async () => {
    const sealed = await sealPassword(ring([1, SECRET]), drive, "提取码 x7");
    expect(sealed.secretVersion).toBe(1);
    expect(await openPassword(ring([1, SECRET], [2, OTHER]), drive, sealed)).toBe("提取码 x7");
    expect((await sealPassword(ring([1, SECRET], [2, OTHER]), drive, "x")).secretVersion).toBe(2);
    expect(
      await openPassword(ring([1, SECRET]), drive, await sealPassword(ring([1, SECRET]), drive, "")),
    ).toBe("");
  });

  it("is encrypted to a different text every time, and no such text contains the password", async () => {
    const seals = await Promise.all([1, 2, 3].map(() => sealPassword(ring([1, SECRET]), drive, "plain")));
    expect(new Set(seals.map(({ sealed }) => sealed)).size).toBe(3);
    for (const { sealed } of seals)
      expect(Buffer.from(sealed, "base64").toString("latin1")).not.toContain("plain");
  });

  it("is not decrypted when it was altered or moved to another share, or when its secret was removed", async () => {
    const sealed = await sealPassword(ring([1, SECRET]), drive, "x7q9");
    const bytes = Buffer.from(sealed.sealed, "base64");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const tampered = { ...sealed, sealed: changed.toString("base64") };
      await expect(openPassword(ring([1, SECRET]), drive, tampered)).rejects.toThrow("cannot be decrypted");
    }
    const moved = openPassword(ring([1, SECRET]), { ...drive, year: 2025 }, sealed);
    await expect(moved).rejects.toThrow("cannot be decrypted");
    await expect(openPassword(ring([1, OTHER]), drive, sealed)).rejects.toThrow("cannot be decrypted");
    await expect(openPassword(ring([2, OTHER]), drive, sealed)).rejects.toThrow("version 1 of SHARE_SECRET");
    await expect(openPassword(ring([1, SECRET]), drive, { ...sealed, sealed: "" })).rejects.toThrow(
      "cannot be decrypted",
    );
  });
});
