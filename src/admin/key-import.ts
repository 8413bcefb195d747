/** Plans an import of existing customers' keys: each row is imported, unchanged, or refused with a message. */
import { isPlausibleKey } from "../access/key.ts";
import type { KnownForImport, KnownSubscription, NewImportedKey } from "../catalog/key-import.ts";
import * as wire from "./wire.ts";

/** A row with the hash of its key; `firstCharacters` is empty when the row has only the hash. */
export interface HashedRow {
  sha256: string;
  firstCharacters: string;
  row: wire.KeyImportRowParsed;
}

interface ImportPlan {
  keys: NewImportedKey[];
  subscriptions: KnownSubscription[];
  answer: wire.KeysImported;
}

/**
 * Compares `rows` with the catalog and returns what to write. `newKeyId` returns a new key id. Refuses a key of another
 * account, a revoked key, an unusable key, a short new key unless `allowShort`, and a new account with an invalid id.
 * Also refuses a row whose account, plan and start equal an earlier row's but whose end differs, because the result
 * would depend on the order of the rows.
 */
export function planKeyImport(
  rows: readonly HashedRow[],
  known: KnownForImport,
  options: { newKeyId: () => string; allowShort: boolean },
): ImportPlan {
  const state = { ...stateOf(known), ...options };
  const plan: ImportPlan = {
    keys: [],
    subscriptions: [],
    answer: { imported: 0, unchanged: 0, refused: [] },
  };
  for (const [index, hashed] of rows.entries()) {
    const error = refusalOf(hashed, state);
    if (error !== null) plan.answer.refused.push({ row: index + 1, error });
    else if (accept(hashed, state, plan)) plan.answer.imported++;
    else plan.answer.unchanged++;
  }
  return plan;
}

function stateOf({ accounts, keys, subscriptions }: KnownForImport) {
  return {
    accounts: new Set(accounts),
    keys: new Map(keys.map((key) => [key.sha256, key])),
    /** Subscriptions in the catalog, by account, plan and start. */
    subscriptions: new Map(subscriptions.map((each) => [placeOf(each), each])),
    /** The ends of the subscriptions in earlier rows of this import, by account, plan and start. */
    ends: new Map<string, number>(),
  };
}

type ImportState = ReturnType<typeof stateOf> & { allowShort: boolean; newKeyId: () => string };

function refusalOf({ sha256, row }: HashedRow, state: ImportState): string | null {
  if (row.key !== undefined && !isPlausibleKey(row.key)) {
    return "This key begins with et_ like generated keys, but its checksum is wrong, so the service would refuse it. Check it for typing errors.";
  }
  const key = state.keys.get(sha256);
  if (key !== undefined && key.accountId !== row.account) {
    return `This key belongs to account ${key.accountId}, not to ${row.account}.`;
  }
  if (key !== undefined && key.revokedAtMs !== null) {
    return `This key of account ${row.account} was revoked, and an import does not restore it.`;
  }
  const isShort = row.key !== undefined && [...row.key].length < wire.SHORTEST_IMPORTED_KEY;
  if (key === undefined && isShort && !state.allowShort) {
    return `This key has fewer than ${wire.SHORTEST_IMPORTED_KEY} characters and can be guessed; to import it nevertheless, allow short keys with --allow-short.`;
  }
  if (!state.accounts.has(row.account) && !wire.NEW_ACCOUNT_ID.test(row.account)) {
    return `The account of this row does not exist, and its id is not valid for a new account: expected ${wire.NEW_ACCOUNT_ID_FORM}.`;
  }
  const end = state.ends.get(placeOf(subscriptionOf(row)));
  if (end !== undefined && end !== row.end) {
    return `An earlier row gives account ${row.account} the ${row.plan} plan with the same start and a different end.`;
  }
  return null;
}

/** Adds the row's changes to `plan`. Returns false when there are none. */
function accept({ sha256, firstCharacters, row }: HashedRow, state: ImportState, plan: ImportPlan): boolean {
  const subscription = subscriptionOf(row);
  const place = placeOf(subscription);
  const newKey = !state.keys.has(sha256);
  const newEnd = state.subscriptions.get(place)?.endMs !== row.end;
  if (newKey) {
    plan.keys.push({ sha256, keyId: state.newKeyId(), accountId: row.account, firstCharacters });
    state.keys.set(sha256, { sha256, accountId: row.account, revokedAtMs: null });
  }
  if (newEnd) plan.subscriptions.push(subscription);
  state.subscriptions.set(place, subscription);
  state.ends.set(place, row.end);
  state.accounts.add(row.account);
  return newKey || newEnd;
}

function subscriptionOf({ account, plan, start, end }: wire.KeyImportRowParsed): KnownSubscription {
  return { accountId: account, plan, startMs: start, endMs: end };
}

function placeOf({ accountId, plan, startMs }: KnownSubscription): string {
  return JSON.stringify([accountId, plan, startMs]);
}
