import { describe, expect, it } from "vitest";
import { auditLines, changeText, usageCsv } from "../../../src/cli/report-commands.ts";

const START = Date.parse("2026-03-01T00:00:00+08:00");
const END = Date.parse("2026-04-01T00:00:00+08:00");

describe("the text of an audit entry", () => {
  it.each([
    [null, { contact: "c@example.com", note: "" }, "contact c@example.com"],
    [
      null,
      { plan: "weekly", startMs: START, endMs: END },
      "plan weekly, start 2026-03-01T00:00:00+08:00, end 2026-04-01T00:00:00+08:00",
    ],
    [
      [],
      [{ plan: "trial", startMs: START, endMs: END }],
      "none → plan trial, start 2026-03-01T00:00:00+08:00, end 2026-04-01T00:00:00+08:00",
    ],
    [{ revision: 1, state: "available" }, { revision: 2, state: "available" }, "revision 1 → 2"],
    [{ files: 5 }, {}, "files 5 → -"],
    [null, { revokedAtMs: START }, "revoked 2026-03-01T00:00:00+08:00"],
    [[], Array.from({ length: 365 }, () => ["20260101", 0]), "none → 365 entries"],
    ["open", "closed", "open → closed"],
    [null, null, ""],
  ])("states a change from %j to %j", (before, after, text) => {
    expect(changeText(before, after)).toBe(text);
  });

  it("is shortened if the line would be too long", () => {
    const entry = {
      id: 1,
      at: "2026",
      actorKind: "operator" as const,
      actor: "Ann",
      action: "account.create",
      subject: "c-1",
      before: null,
    };
    const [, line] = auditLines({ entries: [{ ...entry, after: { note: "x".repeat(500) } }] });
    expect(line).toMatch(/x…$/);
    expect(line?.length).toBeLessThan(200);
  });
});

const row = (accountId: string) => ({
  accountId,
  service: "level2_order_history",
  requests: 12_345,
  files: 3,
  bytes: 1_234_567_890_123,
});

describe("usage as CSV", () => {
  it("has a header, plain digits, and quotes only where an id needs them", () => {
    const usage = [row("customer-1"), row('量化, "A"组'), row("two\nlines")];
    expect(usageCsv({ month: "202611", usage })).toEqual([
      "account,service,requests,files,bytes",
      "customer-1,level2_order_history,12345,3,1234567890123",
      '"量化, ""A""组",level2_order_history,12345,3,1234567890123',
      '"two\nlines",level2_order_history,12345,3,1234567890123',
    ]);
    expect(usageCsv({ month: "202611", usage: [] })).toEqual(["account,service,requests,files,bytes"]);
  });
});
