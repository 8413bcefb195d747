/** Support for the worker tests of `/admin`: calls with an operator's token, and small packs. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { forgetPrincipals, identify } from "../../../src/access/identify.ts";
import { adminRoutes } from "../../../src/admin/routes.ts";
import {
  type IssuedKey,
  PART_SHA256_HEADER,
  PART_SIZE_BYTES,
  type Published,
  type UploadBegun,
} from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { column, plain, sql } from "../../../src/catalog/sql.ts";
import type { DatasetName } from "../../../src/datasets/registry.ts";
import type { Env } from "../../../src/env.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import type { PackOrigin } from "../../../src/packs/origin.ts";
import { day, order, security, type TestDay } from "../../support/builders.ts";
import { sha256 } from "../../support/operator.ts";
import { packOf } from "../../support/packs.ts";
import { bare } from "../../support/result.ts";

export const testEnv = env as unknown as Env;
const DAY_MS = 86_400_000;
export const TOKEN = "test-admin-token-test-admin-token";

/** The template tag for SQL statements on the catalog. */
export const query = sql(testEnv.DB);

const routes = adminRoutes();

export interface AdminAnswer<T> {
  status: number;
  body: T & { error?: string };
}

/** Sends one admin request with the operator's token. Sends bytes unchanged and any other body as JSON. */
export async function admin<T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  { headers = {}, bindings = testEnv }: { headers?: Record<string, string>; bindings?: Env } = {},
): Promise<AdminAnswer<T>> {
  const sent = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
  const init: RequestInit = { method, headers: { Authorization: `Bearer ${TOKEN}`, ...headers } };
  if (sent !== undefined) init.body = sent as BodyInit;
  const response = await routes.request(path, init, bindings);
  return { status: response.status, body: (await response.json()) as AdminAnswer<T>["body"] };
}

let holders = 0;

/** Creates an account with the plan flagship and a key. Returns both, and the account's path below `/admin`. */
export async function holder() {
  const accountId = `holder-${++holders}`;
  await admin("POST", "/accounts", { accountId });
  const path = `/accounts/${accountId}`;
  const plan = { plan: "flagship", start: Date.now() - DAY_MS, end: Date.now() + DAY_MS };
  await admin("PUT", `${path}/subscriptions`, { subscriptions: [plan] });
  const { key, keyId } = (await admin<IssuedKey>("POST", `${path}/keys`, {})).body;
  return { accountId, path, key, keyId };
}

/** Returns a matcher for the answer to a refused request. The message must contain or match `error`. */
export const refusal = (status: number, reason: string, error: string | RegExp = "") => ({
  status,
  body: {
    reason,
    error: typeof error === "string" ? expect.stringContaining(error) : expect.stringMatching(error),
  },
});

/** Deletes all rows of these tables, whose names are separated by spaces. */
export async function emptied(tables: string): Promise<void> {
  await testEnv.DB.batch(tables.split(" ").map((name) => query`DELETE FROM ${plain(name)}`));
}

/** Returns the audit entries about `subject`, oldest first. */
export async function auditOf(subject: string) {
  const { results } = await query`
    SELECT actor, action, before, after FROM audit WHERE subject = ${subject} ORDER BY audit_id`.all<
    Record<"actor" | "action", string> & Record<"before" | "after", string | null>
  >();
  return results.map(({ before, after, ...entry }) => ({
    ...entry,
    before: JSON.parse(before ?? "null"),
    after: JSON.parse(after ?? "null"),
  }));
}

/** Returns all stored rows, and the keys and etags of all objects, as text. Equal texts show that nothing changed. */
export async function stored(): Promise<string> {
  const names = await column<string>(query`
    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'`);
  const tables = await testEnv.DB.batch(names.map((name) => query`SELECT * FROM ${plain(name)}`));
  const { objects } = await testEnv.PACKS.list();
  return JSON.stringify([tables.map((table) => table.results), objects.map(({ key, etag }) => [key, etag])]);
}

/** Looks up `key` in the catalog. Returns the caller at `nowMs`, or the reason why the key is refused. */
export async function callerAt(key: string, nowMs: number) {
  forgetPrincipals();
  return bare((await identify(testEnv.DB, key, nowMs, [])).caller);
}

/** A pack, and what the operator claims about it. */
export interface TestPack {
  /** `orders` by default. */
  dataset?: DatasetName;
  tradedate: BeijingDate;
  bytes: Uint8Array<ArrayBuffer>;
  claims: { sizeBytes: number; sha256: string; buildId: string; rows: number; securities: number };
}

/** Returns a small pack of two securities. A different `price` gives different content. */
export async function testPack(
  tradedate: string,
  price = 100_000,
  dataset: DatasetName = "orders",
  origin?: PackOrigin,
): Promise<TestPack> {
  const securities = [
    security("600519", [order("093000000", { priceE4: price }), order("093000010")]),
    security("300750", [order("091500000", { priceE4: price })]),
  ];
  return packFrom(day({ tradedate, securities }), dataset, origin);
}

/** Returns the URL path of a step such as `/uploads` for the pack's day and dataset, without the prefix `/admin`. */
export function stepPath(
  { dataset = "orders", tradedate }: Pick<TestPack, "dataset" | "tradedate">,
  step: string,
): string {
  return `/days/${tradedate}${step}${dataset === "orders" ? "" : `?dataset=${dataset}`}`;
}

/** Builds a pack from `made` and returns it with correct claims. */
export async function packFrom(
  made: TestDay,
  dataset: DatasetName = "orders",
  origin?: PackOrigin,
): Promise<TestPack> {
  const { bytes } = await packOf(made, dataset, origin);
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const { index } = await locateIndex(bytes.length, read, [dataset]);
  const rows = index.entries.reduce((sum, entry) => sum + entry.rows, 0);
  const { buildId, entries } = index;
  const claims = {
    sizeBytes: bytes.length,
    sha256: sha256(bytes),
    buildId,
    rows,
    securities: entries.length,
  };
  return { dataset, tradedate: made.tradedate as BeijingDate, bytes, claims };
}

/** Begins an upload of `pack`. Throws if the service refuses it or needs no parts. */
export async function begin(
  pack: TestPack,
  more: Record<string, unknown> = {},
): Promise<Extract<UploadBegun, { state: "uploading" }>> {
  const path = stepPath(pack, "/uploads");
  const { status, body } = await admin<UploadBegun>("POST", path, { ...pack.claims, ...more });
  if (status !== 200 || body.state !== "uploading")
    throw new Error(`begin: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Sends the parts that `begun` does not list. */
export function sendParts(pack: TestPack, begun: BegunUpload, bindings = testEnv): Promise<void> {
  return sendBytes(pack.bytes, begun, (step) => stepPath(pack, step), bindings);
}

type BegunUpload = { uploadId: string; partCount: number; parts: { n: number }[] };

/** Sends the parts of `bytes` that `begun` does not list. `pathOf` returns the path of a step, such as `/uploads`. */
export async function sendBytes(
  bytes: Uint8Array,
  begun: BegunUpload,
  pathOf: (step: string) => string,
  bindings = testEnv,
): Promise<void> {
  const there = new Set(begun.parts.map(({ n }) => n));
  for (let n = 1; n <= begun.partCount; n++) {
    if (there.has(n)) continue;
    const part = bytes.slice((n - 1) * PART_SIZE_BYTES, n * PART_SIZE_BYTES);
    const headers = { [PART_SHA256_HEADER]: sha256(part) };
    const path = pathOf(`/uploads/${begun.uploadId}/parts/${n}`);
    const { status, body } = await admin("PUT", path, part, { headers, bindings });
    if (status !== 200) throw new Error(`part ${n}: ${status} ${JSON.stringify(body)}`);
  }
}

/** Begins an upload of `pack` and sends its parts. */
export async function sent(pack: TestPack, more: Record<string, unknown> = {}) {
  const begun = await begin(pack, more);
  await sendParts(pack, begun);
  return begun;
}

/** Completes an upload. The answer can be a refusal. */
export function complete(
  pack: TestPack,
  { uploadId }: { uploadId: string },
  bindings = testEnv,
): Promise<AdminAnswer<Published>> {
  return admin("POST", stepPath(pack, `/uploads/${uploadId}/complete`), undefined, { bindings });
}

/** Runs all three steps as `edgetape publish` does. The answer can be a refusal. */
export async function publish(
  pack: TestPack,
  { force = false, bindings = testEnv }: { force?: boolean; bindings?: Env } = {},
): Promise<AdminAnswer<Published>> {
  const path = stepPath(pack, "/uploads");
  const begun = await admin<UploadBegun>("POST", path, { ...pack.claims, force }, { bindings });
  if (begun.status !== 200) return begun as unknown as AdminAnswer<Published>;
  if (begun.body.state === "served")
    return { status: 200, body: { day: begun.body.day, newRevision: false } };
  await sendParts(pack, begun.body, bindings);
  return complete(pack, begun.body, bindings);
}

/** Returns everything that decides what is served for a day of a dataset. Equal results show that nothing changed. */
export async function servedState(tradedate: string, dataset: DatasetName = "orders"): Promise<unknown> {
  const { results } = await query`SELECT d.*, p.object_key, p.etag, p.sha256,
       (SELECT count(*) FROM day_securities s WHERE s.pack_id = d.pack_id) AS index_rows,
       (SELECT count(*) FROM day_revisions r WHERE r.tradedate = d.tradedate AND r.dataset = d.dataset) AS revisions
     FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id WHERE d.tradedate = ${tradedate} AND d.dataset = ${dataset}`.all();
  return results;
}
