import { expect, it } from "vitest";
import { parsePropfind } from "../../../src/shares/webdav.ts";

it("parsePropfind reads PROPFIND bodies as clients send them, and refuses other text", () => {
  const ask =
    '<?xml version="1.0"?>\n<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>\n';
  const these = { kind: "these", names: [{ namespace: "DAV:", name: "getetag" }] };
  expect(parsePropfind(ask)).toEqual(these);
  expect(parsePropfind(`\uFEFF<!-- a comment -->${ask}<!-- and one -->`)).toEqual(these);
  expect(parsePropfind(" ")).toEqual({ kind: "all" });
  for (const text of ["<", "text", `text ${ask}`, `${ask} text`, ask.replace("<D:prop>", "<D:prop>1")]) {
    expect(parsePropfind(text)).toBeNull();
  }
});

it("parsePropfind needs linear time, even for text that a naive search would scan from every position", () => {
  for (const piece of ["<!--", "<?", "<a ", "<a b='"]) {
    expect(parsePropfind(piece.repeat(1_000_000))).toBeNull();
  }
});
