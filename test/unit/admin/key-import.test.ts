import { describe, expect, it } from "vitest";
import { generateKey } from "../../../src/access/key.ts";
import { type HashedRow, planKeyImport } from "../../../src/admin/key-import.ts";
import type { KnownKey, KnownSubscription } from "../../../src/catalog/key-import.ts";

interface Said {
  hash?: string;
  account?: string;
  start?: number;
  end?: number;
}

function row({ hash = "h1", account = "a", start = 10, end = 20 }: Said = {}): HashedRow {
  return { sha256: hash, firstCharacters: "", row: { sha256: hash, account, plan: "trial", start, end } };
}

let ids = 0;

/** Plans the import and what a catalog would know after it. */
function plan(rows: HashedRow[], known: { keys: KnownKey[]; subscriptions: KnownSubscription[] } = empty()) {
  const { keys, subscriptions, answer } = planKeyImport(rows, known, () => `key_${++ids}`);
  const places = new Map(
    [...known.subscriptions, ...subscriptions].map((each) => [
      `${each.accountId} ${each.plan} ${each.startMs}`,
      each,
    ]),
  );
  const after = {
    keys: [...known.keys, ...keys.map(({ sha256, accountId }) => ({ sha256, accountId, revokedAtMs: null }))],
    subscriptions: [...places.values()],
  };
  return { answer, after };
}

const empty = () => ({ keys: [] as KnownKey[], subscriptions: [] as KnownSubscription[] });

describe("what a key import changes", () => {
  it("imports new rows once: the same rows again change nothing", () => {
    const rows = [row(), row({ hash: "h2" }), row({ hash: "h3", account: "b", end: 30 }), row()];
    const first = plan(rows);
    expect(first.answer).toEqual({ imported: 3, unchanged: 1, refused: [] });
    expect(first.after.keys.map(({ sha256 }) => sha256)).toEqual(["h1", "h2", "h3"]);
    expect(first.after.subscriptions).toHaveLength(2);
    const second = plan(rows, first.after);
    expect(second.answer).toEqual({ imported: 0, unchanged: 4, refused: [] });
    expect(second.after).toEqual(first.after);
  });

  it("gives a plan a new end when a later file says so, and adds a second period", () => {
    const { after } = plan([row()]);
    expect(plan([row({ end: 25 })], after).after.subscriptions).toMatchObject([{ startMs: 10, endMs: 25 }]);
    expect(plan([row({ start: 20, end: 30 })], after).after.subscriptions).toHaveLength(2);
  });

  it("refuses a key that looks like one of ours and is none: no request with it would be let in", () => {
    const withKey = (key: string): HashedRow => {
      const { sha256: _, ...rest } = row().row;
      return { sha256: key, firstCharacters: "", row: { ...rest, key } };
    };
    const { answer } = plan([withKey("et_legacy-0001"), withKey(generateKey()), withKey("legacy-0001")]);
    expect(answer).toMatchObject({ imported: 2, refused: [{ row: 1 }] });
    expect(answer.refused[0]?.error).not.toContain("legacy-0001");
  });

  it("refuses another account's key, a revoked key, and two ends of one plan, each with its row", () => {
    const known = { ...empty(), keys: [{ sha256: "h9", accountId: "a", revokedAtMs: 5 }] };
    const { answer } = plan(
      [row(), row({ account: "b" }), row({ hash: "h9" }), row({ hash: "h2", end: 21 }), row({ hash: "h2" })],
      known,
    );
    expect(answer).toMatchObject({ imported: 2, unchanged: 0 });
    expect(answer.refused.map((each) => each.row)).toEqual([2, 3, 4]);
    expect(answer.refused.map((each) => each.error)).toEqual([
      expect.stringContaining("belongs to account a"),
      expect.stringContaining("revoked"),
      expect.stringContaining("another end"),
    ]);
  });
});
