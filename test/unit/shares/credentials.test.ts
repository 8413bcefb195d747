import { describe, expect, it } from "vitest";
import { sameText } from "../../../src/base/same-text.ts";
import {
  basicCredentials,
  callerOf,
  formPassword,
  hasShareCookie,
  isOwnForm,
  networkOf,
  shareCookie,
} from "../../../src/shares/credentials.ts";

const SECRET = "a-secret-of-thirty-two-characters";
const END = Date.UTC(2026, 2, 19);
const URL = "https://data.example/s/abc/";

const encoded = (text: string) => Buffer.from(text).toString("base64");

describe("basicCredentials", () => {
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
  ])("parses the header %j", (header, expected) => {
    expect(basicCredentials(header)).toEqual(expected);
  });
});

describe("sameText", () => {
  it.each([
    ["abc", "abc", true],
    ["abc", "abd", false],
    ["abc", "ab", false],
    ["", "", true],
  ])("compares %j and %j", (one, other, expected) => {
    expect(sameText(one, other)).toBe(expected);
  });
});

describe("the cookie of a share", () => {
  const cookie = (header: string | null, { shareId = "abc", nowMs = END - 1, secret = SECRET } = {}) =>
    hasShareCookie(secret, { header, shareId, nowMs });
  const made = (secure = true) =>
    shareCookie(SECRET, { shareId: "abc", nowMs: END - 1_500, endMs: END, secure });
  const pair = () => made().split(";")[0] ?? "";

  it("is limited to the share's path, hidden from scripts, not sent to other sites, and Secure on https", () => {
    const attributes = "Path=/s/abc/; Max-Age=2; HttpOnly; SameSite=Strict";
    expect(made()).toMatch(new RegExp(`^edgetape_share=\\d+\\.[0-9a-f]{64}; ${attributes}; Secure$`));
    expect(made(false)).not.toContain("Secure");
  });

  it("opens the share until it expires, alone or among other cookies", () => {
    expect(cookie(pair())).toBe(true);
    expect(cookie(`a=b; ${pair()}; edgetape_share=1.2`)).toBe(true);
    expect(cookie(pair(), { nowMs: END })).toBe(false);
  });

  it("does not open another share, nor its own share after the share secret was replaced", () => {
    expect(cookie(pair(), { shareId: "abd" })).toBe(false);
    expect(cookie(pair(), { secret: "another-secret-of-thirty-two-chars" })).toBe(false);
  });

  it("cannot be prolonged or forged", () => {
    const signature = pair().split(".")[1];
    expect(cookie(`edgetape_share=${END + 1}.${signature}`)).toBe(false);
    expect(cookie(`edgetape_share=${END}.${"0".repeat(64)}`)).toBe(false);
    expect(cookie("edgetape_share=")).toBe(false);
    expect(cookie(null)).toBe(false);
  });
});

describe("the sign-in form of a share", () => {
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

  it("gives the entered password without white space around it, or null if there is no acceptable one", async () => {
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
  ])("with the headers %j is accepted as the service's own: %s", (headers, expected) => {
    expect(isOwnForm(form("", headers as Record<string, string>))).toBe(expected);
  });
});

describe("the network (the /64 of an IPv6 address)", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0db8:0001:0002:ffff::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:DB8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1:2:3:4", "fe80:0:0:0"],
    ["", ""],
  ])("of the address %j is %j", (address, expected) => {
    expect(networkOf(address)).toBe(expected);
  });
});

describe("the hash of a caller", () => {
  const caller = (address: string, agent: string, secret = "s".repeat(32)) =>
    callerOf(new Headers({ "CF-Connecting-IP": address, "User-Agent": agent }), secret);

  it("differs between programs at one address, and between addresses", () => {
    const curl = caller("203.0.113.7", "curl/8");
    const wget = caller("203.0.113.7", "wget/1");
    const other = caller("203.0.113.8", "curl/8");
    expect(curl.address).toBe(wget.address);
    expect(curl.client).not.toBe(wget.client);
    expect(curl.address).not.toBe(other.address);
    expect(curl.client).not.toBe(other.client);
  });

  it("is 16 hex digits that depend on the secret", () => {
    const one = caller("203.0.113.7", "curl/8");
    expect(one.address).toMatch(/^[0-9a-f]{16}$/);
    expect(one.address).not.toBe(caller("203.0.113.7", "curl/8", "t".repeat(32)).address);
  });
});
