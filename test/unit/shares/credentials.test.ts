import { describe, expect, it } from "vitest";
import {
  basicCredentials,
  formPassword,
  hasShareCookie,
  isOwnForm,
  sameText,
  shareCookie,
} from "../../../src/shares/credentials.ts";

const SECRET = "a-secret-of-thirty-two-characters";
const END = Date.UTC(2026, 2, 19);
const URL = "https://data.example/s/abc/";

const encoded = (text: string) => Buffer.from(text).toString("base64");

describe("Basic credentials", () => {
  it.each([
    [`Basic ${encoded("abc:pass")}`, { user: "abc", password: "pass" }],
    [`basic  ${encoded("abc:p:a:s")} `, { user: "abc", password: "p:a:s" }],
    [`Basic ${encoded(":")}`, { user: "", password: "" }],
    [`Basic ${encoded("abc:密码")}`, { user: "abc", password: "密码" }],
    [`Basic ${encoded("nocolon")}`, null],
    ["Basic !!!", null],
    ["Basic", null],
    ["Bearer abc", null],
    ["", null],
    [null, null],
  ])("%j", (header, expected) => {
    expect(basicCredentials(header)).toEqual(expected);
  });
});

describe("texts compared", () => {
  it.each([
    ["abc", "abc", true],
    ["abc", "abd", false],
    ["abc", "ab", false],
    ["", "", true],
  ])("%j and %j", async (one, other, expected) => {
    expect(await sameText(one, other)).toBe(expected);
  });
});

describe("the cookie of a share", () => {
  const cookie = (header: string | null, { shareId = "abc", nowMs = END - 1, secret = SECRET } = {}) =>
    hasShareCookie(secret, { header, shareId, nowMs });
  const made = async (secure = true) =>
    shareCookie(SECRET, { shareId: "abc", nowMs: END - 1_500, endMs: END, secure });
  const pair = async () => (await made()).split(";")[0] ?? "";

  it("is for its path alone, not for scripts, not for other sites, and for https where there is", async () => {
    const attributes = "Path=/s/abc/; Max-Age=2; HttpOnly; SameSite=Strict";
    expect(await made()).toMatch(new RegExp(`^edgetape_share=\\d+\\.[0-9a-f]{64}; ${attributes}; Secure$`));
    expect(await made(false)).not.toContain("Secure");
  });

  it("opens its share until its end, among other cookies", async () => {
    expect(await cookie(await pair())).toBe(true);
    expect(await cookie(`a=b; ${await pair()}; edgetape_share=1.2`)).toBe(true);
    expect(await cookie(await pair(), { nowMs: END })).toBe(false);
  });

  it("opens no other share, and none under another secret", async () => {
    expect(await cookie(await pair(), { shareId: "abd" })).toBe(false);
    expect(await cookie(await pair(), { secret: "another-secret-of-thirty-two-chars" })).toBe(false);
  });

  it("cannot be prolonged or made up", async () => {
    const signature = (await pair()).split(".")[1];
    expect(await cookie(`edgetape_share=${END + 1}.${signature}`)).toBe(false);
    expect(await cookie(`edgetape_share=${END}.${"0".repeat(64)}`)).toBe(false);
    expect(await cookie("edgetape_share=")).toBe(false);
    expect(await cookie(null)).toBe(false);
  });
});

describe("the form", () => {
  const form = (body: string, headers: Record<string, string> = {}) =>
    new Request(URL, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": String(body.length),
        ...headers,
      },
    });

  it("carries a password, trimmed of what a copy adds", async () => {
    expect(await formPassword(form("username=abc&password=%20abc%2B%0A"))).toBe("abc+");
    expect(await formPassword(form("username=abc"))).toBeNull();
    expect(await formPassword(form('{"password":"x"}', { "Content-Type": "application/json" }))).toBeNull();
    expect(await formPassword(form(`password=${"x".repeat(5_000)}`))).toBeNull();
  });

  it.each([
    [{}, true],
    [{ "Sec-Fetch-Site": "same-origin" }, true],
    [{ "Sec-Fetch-Site": "none" }, true],
    [{ "Sec-Fetch-Site": "same-site" }, false],
    [{ "Sec-Fetch-Site": "cross-site" }, false],
    [{ Origin: "https://data.example" }, true],
    [{ Origin: "https://evil.example" }, false],
    [{ Origin: "null" }, false],
  ])("is our own: %j %s", (headers, expected) => {
    expect(isOwnForm(form("", headers as Record<string, string>))).toBe(expected);
  });
});
