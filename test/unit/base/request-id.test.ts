import { expect, it } from "vitest";
import { newRequestId } from "../../../src/base/request-id.ts";

it("newRequestId returns 10,000 different ids of 16 characters, none with the letter i, l, o or u", () => {
  const ids = Array.from({ length: 10_000 }, newRequestId);
  expect(ids.filter((id) => !/^[0-9a-hjkmnp-tv-z]{16}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
