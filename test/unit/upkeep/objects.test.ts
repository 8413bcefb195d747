import { describe, expect, it } from "vitest";
import type { Duty, KnownObject } from "../../../src/catalog/upkeep.ts";
import { judgeObjects, type StoredObject } from "../../../src/upkeep/objects.ts";

const known = (objectKey: string, duty: Duty, etag: string | null = `etag ${objectKey}`): KnownObject => ({
  objectKey,
  duty,
  etag,
  sizeBytes: 10,
  called: objectKey,
  packId: null,
  begunAtMs: 0,
});
const stored = (key: string, said: Partial<StoredObject> = {}): StoredObject => ({
  key,
  etag: `etag ${key}`,
  size: 10,
  uploaded: new Date(0),
  ...said,
});

describe("an object in R2 or in the catalog", () => {
  it("matches its counterpart or is in exactly one list of differences", () => {
    const catalog = [
      known("right", "kept"),
      known("gone", "kept"),
      known("other bytes", "kept"),
      known("other size", "kept"),
      known("spare and gone", "spare"),
      known("spare with other bytes", "spare"),
      known("old", "expired"),
      known("old and gone", "expired"),
      known("under way", "open", null),
      known("not yet there", "open", null),
      known("left", "unserved", null),
      known("never there", "unserved", null),
    ];
    const bucket = [
      stored("right"),
      stored("other bytes", { etag: "another" }),
      stored("spare with other bytes", { etag: "another" }),
      stored("other size", { size: 9 }),
      stored("old"),
      stored("under way", { etag: "whatever" }),
      stored("left"),
      stored("a stranger"),
    ];
    const judged = judgeObjects(new Map(catalog.map((each) => [each.objectKey, each])), bucket);
    expect({
      missing: judged.missing.map(({ objectKey }) => objectKey),
      changed: judged.changed.map(({ stored: { key } }) => key),
      expired: judged.expired.map(({ objectKey }) => objectKey),
      unserved: judged.unserved.map(({ stored: { key } }) => key),
      unknown: judged.unknown.map(({ key }) => key),
    }).toEqual({
      missing: ["gone", "spare and gone"],
      changed: ["other bytes", "spare with other bytes", "other size"],
      expired: ["old"],
      unserved: ["left"],
      unknown: ["a stranger"],
    });
  });
});
