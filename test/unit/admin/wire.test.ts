import { describe, expect, it } from "vitest";
import {
  accountIdSchema,
  beginUploadSchema,
  calendarChangeSchema,
  externalShareSchema,
  keyImportRowSchema,
  ownLimitsSchema,
  subscriptionSchema,
} from "../../../src/admin/wire.ts";

const NOW = 1_772_294_400_000;
const upload = { sizeBytes: 1, sha256: "A".repeat(64), buildId: "0".repeat(32), rows: 1, securities: 1 };
const imported = {
  key: "k",
  account: "a",
  plan: "trial",
  start: "2026-01-01T00:00:00+08:00",
  end: 1_800_000_000_000,
};

describe("the bodies of admin requests", () => {
  it("get defaults, and may contain instants as milliseconds or RFC 3339, and hashes in upper case", () => {
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
    ["an unknown property", beginUploadSchema, { ...upload, extra: 1 }],
    ["a size of 0", beginUploadSchema, { ...upload, sizeBytes: 0 }],
    ["more than 10,000 parts", beginUploadSchema, { ...upload, sizeBytes: 10_000 * 2 ** 23 + 1 }],
    ["a wrong build id", beginUploadSchema, { ...upload, buildId: "x" }],
    ["both a key and a hash", keyImportRowSchema, { ...imported, sha256: "a".repeat(64) }],
    ["neither key nor hash", keyImportRowSchema, { ...imported, key: undefined }],
    ["an unknown plan", keyImportRowSchema, { ...imported, plan: "gold" }],
    ["an instant without an offset", keyImportRowSchema, { ...imported, start: "2026-01-01T00:00:00" }],
    ["an end equal to the start", subscriptionSchema, { plan: "trial", start: NOW, end: NOW }],
    ["an imported plan that ends after the year 9999", keyImportRowSchema, { ...imported, end: 2 ** 53 - 1 }],
    [
      "an external link that expires after the year 9999",
      externalShareSchema,
      {
        ...{ firstDay: "20260105", lastDay: "20260105", fileCount: 1, sizeBytes: 1 },
        link: { url: "https://drive.example/x", password: "over there", expires: 2 ** 53 - 1 },
      },
    ],
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
  ])("are refused for %s", (_, schema, body) => {
    expect(schema.safeParse(body).success).toBe(false);
  });
});
