import { describe, expect, it } from "vitest";
import {
  accountIdSchema,
  beginUploadSchema,
  calendarChangeSchema,
  keyImportRowSchema,
  ownLimitsSchema,
  subscriptionSchema,
} from "../../../src/admin/wire.ts";

const upload = { sizeBytes: 1, sha256: "A".repeat(64), buildId: "0".repeat(32), rows: 1, securities: 1 };
const imported = {
  key: "k",
  account: "a",
  plan: "trial",
  start: "2026-01-01T00:00:00+08:00",
  end: 1_800_000_000_000,
};

describe("admin bodies", () => {
  it("fill in defaults, take instants as milliseconds or RFC 3339, and make hashes lower case", () => {
    expect(beginUploadSchema.parse(upload)).toEqual({
      ...upload,
      sha256: "a".repeat(64),
      degraded: false,
      force: false,
    });
    expect(keyImportRowSchema.parse(imported)).toMatchObject({
      start: Date.UTC(2025, 11, 31, 16),
      end: 1_800_000_000_000,
    });
    expect(ownLimitsSchema.parse({ files: null })).toEqual({ files: null });
  });

  it.each([
    ["an unknown member", beginUploadSchema, { ...upload, extra: 1 }],
    ["a size of 0", beginUploadSchema, { ...upload, sizeBytes: 0 }],
    ["more than 10,000 parts", beginUploadSchema, { ...upload, sizeBytes: 10_000 * 2 ** 23 + 1 }],
    ["a wrong build id", beginUploadSchema, { ...upload, buildId: "x" }],
    ["key and hash", keyImportRowSchema, { ...imported, sha256: "a".repeat(64) }],
    ["neither key nor hash", keyImportRowSchema, { ...imported, key: undefined }],
    ["an unknown plan", keyImportRowSchema, { ...imported, plan: "gold" }],
    ["an instant without an offset", keyImportRowSchema, { ...imported, start: "2026-01-01T00:00:00" }],
    ["an end that is the start", subscriptionSchema, { plan: "trial", start: 5, end: 5 }],
    ["a negative limit", ownLimitsSchema, { files: -1 }],
    [
      "a day that does not exist",
      calendarChangeSchema,
      { days: [{ day: "20260230", open: true }], source: "s" },
    ],
    [
      "a calendar without a source",
      calendarChangeSchema,
      { days: [{ day: "20260227", open: true }], source: " " },
    ],
    ["an account id with a line break", accountIdSchema, "a\nb"],
    ["an empty account id", accountIdSchema, "  "],
  ])("refuse %s", (_, schema, body) => {
    expect(schema.safeParse(body).success).toBe(false);
  });
});
