import { describe, expect, it } from "vitest";
import { generateKey } from "../../../src/access/key.ts";
import { type HashedRow, planKeyImport } from "../../../src/admin/key-import.ts";
import type { KnownForImport, KnownKey, KnownSubscription } from "../../../src/catalog/key-import.ts";

interface Said {
  hash?: string;
  account?: string;
  start?: number;
  end?: number;
}

function row({ hash = "h1", account = "a", start = 10, end = 20 }: Said = {}): HashedRow {
  return { sha256: hash, firstCharacters: "", row: { sha256: hash, account, plan: "trial", start, end } };
}

function withKey(key: string): HashedRow {
  const { sha256: _, ...rest } = row().row;
  return { sha256: `hash of ${key}`, firstCharacters: "", row: { ...rest, key } };
}

let ids = 0;

/** Plans the import. Returns the answer to the operator and the state of the catalog after the import. */
function plan(rows: HashedRow[], known: KnownForImport = empty(), allowShort = false) {
  const { keys, subscriptions, answer } = planKeyImport(rows, known, {
    newKeyId: () => `key_${++ids}`,
    allowShort,
  });
  const places = new Map(
    [...known.subscriptions, ...subscriptions].map((each) => [
      `${each.accountId} ${each.plan} ${each.startMs}`,
      each,
    ]),
  );
  const after = {
    accounts: [...known.accounts, ...keys.map(({ accountId }) => accountId)],
    keys: [...known.keys, ...keys.map(({ sha256, accountId }) => ({ sha256, accountId, revokedAtMs: null }))],
    subscriptions: [...places.values()],
  };
  return { answer, after };
}

const empty = () => ({
  accounts: [] as string[],
  keys: [] as KnownKey[],
  subscriptions: [] as KnownSubscription[],
});

describe("a key import", () => {
  it("imports new rows once, and changes nothing when the same rows are imported again", () => {
    const rows = [row(), row({ hash: "h2" }), row({ hash: "h3", account: "b", end: 30 }), row()];
    const first = plan(rows);
    expect(first.answer).toEqual({ imported: 3, unchanged: 1, refused: [] });
    expect(first.after.keys.map(({ sha256 }) => sha256)).toEqual(["h1", "h2", "h3"]);
    expect(first.after.subscriptions).toHaveLength(2);
    const second = plan(rows, first.after);
    expect(second.answer).toEqual({ imported: 0, unchanged: 4, refused: [] });
    expect(second.after).toEqual(first.after);
  });

  it("changes the end of a plan period with the same start, and adds a period with a different start", () => {
    const { after } = plan([row()]);
    expect(plan([row({ end: 25 })], after).after.subscriptions).toMatchObject([{ startMs: 10, endMs: 25 }]);
    expect(plan([row({ start: 20, end: 30 })], after).after.subscriptions).toHaveLength(2);
  });

  it("refuses a new key of fewer than 20 characters unless short keys are allowed, but accepts a known key", () => {
    const rows = ["123", "k".repeat(19), "密".repeat(19), "k".repeat(20)].map(withKey);
    const { answer } = plan(rows);
    expect(answer).toMatchObject({ imported: 1, refused: [{ row: 1 }, { row: 2 }, { row: 3 }] });
    expect(answer.refused[0]?.error).toMatch(/fewer than 20 characters.*--allow-short/);
    const allowed = plan(rows, empty(), true);
    expect(allowed.answer).toMatchObject({ imported: 4, refused: [] });
    expect(plan(rows, allowed.after).answer).toEqual({ imported: 0, unchanged: 4, refused: [] });
  });

  it("refuses a new account with an invalid id, and accepts rows of an existing account", () => {
    const wrong = [".", "..", "a.b", "a b", "Chen, Wei", "a/b", "x\u200Bx", "\uFFFD\uFFFD", "e\u0301"];
    const rows = [...wrong, "客户-17", "c_1", "Ünal"].map((account, n) => row({ hash: `h${n}`, account }));
    const { answer } = plan(rows);
    expect(answer.refused.map((each) => each.row)).toEqual(wrong.map((_, n) => n + 1));
    expect(answer.imported).toBe(3);
    const known = { ...empty(), accounts: wrong };
    expect(plan(rows, known).answer).toMatchObject({ imported: rows.length, refused: [] });
  });

  it("refuses a key that has the form of an edgetape key but a wrong checksum", () => {
    const { answer } = plan([
      withKey("et_legacy-0001"),
      withKey(generateKey()),
      withKey("legacy-0001-of-another-form"),
    ]);
    expect(answer).toMatchObject({ imported: 2, refused: [{ row: 1 }] });
    expect(answer.refused[0]?.error).not.toContain("legacy-0001");
  });

  it("refuses each row whose key belongs to another account or is revoked, or whose plan period ends differently", () => {
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
      expect.stringContaining("a different end"),
    ]);
  });
});
