import { describe, expect, it } from "vitest";
import { part, plain } from "../../../src/catalog/sql.ts";

describe("a piece of SQL", () => {
  it("binds all values, even repeated, empty and null ones, and never writes them into the text", () => {
    const given = "'; DROP TABLE accounts; -- ?1 ?";
    expect(part`a = ${given} OR b = ${given} OR c IS ${null} OR d = ${0} OR e = ${""}`).toEqual({
      text: "a = ? OR b = ? OR c IS ? OR d = ? OR e = ?",
      values: [given, given, null, 0, ""],
    });
  });

  it("contains one value for each placeholder in the same order, including those of nested pieces", () => {
    const inner = part`(x = ${1} AND ${plain("y")} = ${2})`;
    expect(part`${0} ${inner} ${part`NOT ${inner}`} ${3}`).toEqual({
      text: "? (x = ? AND y = ?) NOT (x = ? AND y = ?) ?",
      values: [0, 1, 2, 1, 2, 3],
    });
  });

  it("binds an object as a value if it has a piece's members but is not a piece", () => {
    const forged = JSON.parse('{"text": "1 = 1", "values": []}');
    expect(part`a = ${forged}`).toEqual({ text: "a = ?", values: [forged] });
  });
});
