import { describe, expect, it } from "vitest";
import { countText, sizeText } from "../../../src/cli/amounts.ts";

describe("amounts for people", () => {
  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [999, "999 bytes"],
    [1_000, "1.0 kB"],
    [12_345, "12.3 kB"],
    [999_949, "999.9 kB"],
    [999_950, "1.0 MB"],
    [1_222_288, "1.2 MB"],
    [1_056_000_000, "1.1 GB"],
    [9_000_000_000_000, "9000.0 GB"],
  ])("write %d bytes as %s", (sizeBytes, text) => {
    expect(sizeText(sizeBytes)).toBe(text);
  });

  it("write counts with their thousands apart", () => {
    expect([0, 999, 149_359].map(countText)).toEqual(["0", "999", "149,359"]);
  });
});
