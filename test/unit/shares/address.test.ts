import { describe, expect, it } from "vitest";
import { callerOf, networkOf } from "../../../src/shares/address.ts";

describe("one subscriber (an IPv6 address stands for its /64)", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0db8:0001:0002:ffff::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:DB8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1:2:3:4", "fe80:0:0:0"],
    ["", ""],
  ])("%s", (address, expected) => {
    expect(networkOf(address)).toBe(expected);
  });
});

describe("a caller's hashes", () => {
  const caller = (address: string, agent: string, secret = "s".repeat(32)) =>
    callerOf(new Headers({ "CF-Connecting-IP": address, "User-Agent": agent }), secret);

  it("tell programs at one address apart, and addresses", async () => {
    const curl = await caller("203.0.113.7", "curl/8");
    const wget = await caller("203.0.113.7", "wget/1");
    const other = await caller("203.0.113.8", "curl/8");
    expect(curl.address).toBe(wget.address);
    expect(curl.client).not.toBe(wget.client);
    expect(curl.address).not.toBe(other.address);
    expect(curl.client).not.toBe(other.client);
  });

  it("cannot be made without the secret", async () => {
    const one = await caller("203.0.113.7", "curl/8");
    expect(one.address).toMatch(/^[0-9a-f]{16}$/);
    expect(one.address).not.toBe((await caller("203.0.113.7", "curl/8", "t".repeat(32))).address);
  });
});
