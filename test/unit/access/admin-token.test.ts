import { describe, expect, it } from "vitest";
import { isAdmin } from "../../../src/access/admin-token.ts";

const TOKEN = "a-token-of-more-than-24-characters";

describe("the operator's token", () => {
  it("opens with the very token only, as a bearer token", async () => {
    expect(await isAdmin(`Bearer ${TOKEN}`, TOKEN)).toBe(true);
    expect(await isAdmin(`bearer  ${TOKEN}`, TOKEN)).toBe(true);
  });

  it.each([
    null,
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
  ])("refuses %j", async (header) => {
    expect(await isAdmin(header, TOKEN)).toBe(false);
  });
});
