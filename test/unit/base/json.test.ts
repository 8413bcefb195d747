import { describe, expect, it } from "vitest";
import { parsedJson } from "../../../src/base/json.ts";

describe("parsedJson", () => {
  it("returns the value of JSON, and undefined for any other text", () => {
    expect(['{"a":[1]}', "null", "0", "", "{", "undefined", "{} x"].map(parsedJson)).toEqual([
      { a: [1] },
      null,
      0,
      ...Array.from({ length: 4 }, () => undefined),
    ]);
  });
});
