/** Operator actions that tests need: publish days, load the calendar, create accounts and keys. */
import { createHash } from "node:crypto";
import {
  type Account,
  type BeginUpload,
  type CalendarChange,
  type DayDetail,
  type DaySummary,
  type IssuedKey,
  type OwnLimits,
  PART_SHA256_HEADER,
  type Published,
  type UploadBegun,
} from "../../src/admin/wire.ts";
import { addDays, type BeijingDate } from "../../src/calendar/beijing.ts";
import type { DatasetName } from "../../src/datasets/registry.ts";
import type { PlanName } from "../../src/entitlement/principal.ts";
import { locateIndex } from "../../src/packs/locate.ts";
import type { TestDay } from "./builders.ts";
import { packOf } from "./packs.ts";
import type { Service } from "./service.ts";

const DAY_MS = 86_400_000;

/** Returns the SHA-256 of `content` as hex digits. */
export const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

/** Sends an admin request that must succeed. Throws with the error message otherwise. */
export async function asOperator<T>(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<T> {
  const answer = await service.admin(method, path, body, headers);
  if (answer.status >= 300) throw new Error(`${method} ${path}: HTTP ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as T;
}

/** Returns what the service says about a dataset of a day. */
export async function dayAt(
  service: Service,
  tradedate: string,
  dataset: DatasetName = "orders",
): Promise<DaySummary> {
  const path = `/admin/days/${tradedate}?dataset=${dataset}`;
  return (await asOperator<DayDetail>(service, "GET", path)).day;
}

/** Builds and publishes a day through the admin API. Publishing the same day again makes a new revision. */
export async function publish(
  service: Service,
  day: TestDay,
  dataset: DatasetName = "orders",
  quality?: BeginUpload["quality"],
): Promise<Published> {
  return publishPack(service, day.tradedate, (await packOf(day, dataset)).bytes, { dataset, quality });
}

export interface PublishOptions {
  force?: boolean;
  dataset?: DatasetName;
  /** The result of the quality check. */
  quality?: BeginUpload["quality"];
}

/**
 * Publishes a pack's bytes as the operator's command does: begin, send the missing parts, complete. Unlike in the
 * command, `force` is true by default, so that content that is already served also becomes a new revision.
 */
export async function publishPack(
  service: Service,
  tradedate: string,
  pack: Uint8Array,
  options: PublishOptions = {},
): Promise<Published> {
  const begun = await uploadPack(service, tradedate, pack, options);
  if (begun.state === "served") return { day: begun.day, newRevision: false };
  const { dataset = "orders" } = options;
  const query = dataset === "orders" ? "" : `?dataset=${dataset}`;
  const path = `/admin/days/${tradedate}/uploads/${begun.uploadId}/complete${query}`;
  return asOperator(service, "POST", path);
}

/** Does the steps of `publishPack` before the last one. */
export async function uploadPack(
  service: Service,
  tradedate: string,
  pack: Uint8Array,
  { force = true, dataset = "orders", quality }: PublishOptions = {},
): Promise<UploadBegun> {
  const read = async (offset: number, length: number) => pack.subarray(offset, offset + length);
  const { index } = await locateIndex(pack.length, read, [dataset]);
  const query = dataset === "orders" ? "" : `?dataset=${dataset}`;
  const uploads = `/admin/days/${tradedate}/uploads`;
  const begun = await asOperator<UploadBegun>(service, "POST", `${uploads}${query}`, {
    sizeBytes: pack.length,
    sha256: sha256(pack),
    buildId: index.buildId,
    rows: index.entries.reduce((sum, entry) => sum + entry.rows, 0),
    securities: index.entries.length,
    force,
    quality,
  });
  if (begun.state === "served") return begun;
  const stored = new Set(begun.parts.map((part) => part.n));
  for (let n = 1; n <= begun.partCount; n++) {
    if (stored.has(n)) continue;
    const part = pack.subarray((n - 1) * begun.partSizeBytes, n * begun.partSizeBytes);
    const headers = { [PART_SHA256_HEADER]: sha256(part) };
    await asOperator(service, "PUT", `${uploads}/${begun.uploadId}/parts/${n}${query}`, part, headers);
  }
  return begun;
}

/** Loads a calendar of these trading days alone. */
export async function openDays(service: Service, ...open: string[]): Promise<void> {
  const days = open.map((day) => ({ day, open: true }));
  await asOperator(service, "PUT", "/admin/calendar", { days, source: "test" });
}

/** Loads a calendar of weekdays from `from` to `to` (YYYYMMDD, both inclusive) without `holidays`. */
export async function loadWeekdays(
  service: Service,
  from: string,
  to: string,
  holidays: string[] = [],
): Promise<void> {
  const days: CalendarChange["days"] = [];
  for (let day = from as BeijingDate; day <= to; day = addDays(day, 1)) {
    const weekday = new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`).getUTCDay();
    days.push({ day, open: weekday >= 1 && weekday <= 5 && !holidays.includes(day) });
  }
  await asOperator(service, "PUT", "/admin/calendar", { days, source: "test" });
}

export interface AccountRequest {
  plan?: PlanName;
  /** Unix milliseconds, inclusive; long before the service's current time when absent. */
  startMs?: number;
  /** Unix milliseconds, exclusive; long after the service's current time when absent. */
  endMs?: number;
  /** All subscriptions of the account; they replace `plan`. */
  subscriptions?: { plan: PlanName; startMs: number; endMs: number }[];
  /** Number of keys; 1 when absent. */
  keys?: number;
  limits?: OwnLimits;
}

export interface TestAccount {
  accountId: string;
  /** The first key. */
  key: string;
  keys: IssuedKey[];
}

/** Creates an account with its plan and keys. If `plan` and `subscriptions` are absent, the account has no plan. */
export async function account(service: Service, asked: AccountRequest): Promise<TestAccount> {
  const { accountId } = await asOperator<Account>(service, "POST", "/admin/accounts", {});
  const now = service.nowMs();
  // A weekly plan is valid for 7 × 24 hours, so by default it began yesterday. Any other plan began a year ago.
  const weekly = asked.plan === "weekly";
  const startMs = asked.startMs ?? now - (weekly ? 1 : 365) * DAY_MS;
  const endMs = asked.endMs ?? now + (weekly ? 6 : 365) * DAY_MS;
  const planned = asked.plan === undefined ? [] : [{ plan: asked.plan, startMs, endMs }];
  const subscriptions = (asked.subscriptions ?? planned).map((each) => ({
    plan: each.plan,
    start: Math.floor(each.startMs),
    end: Math.floor(each.endMs),
  }));
  const path = `/admin/accounts/${encodeURIComponent(accountId)}`;
  await asOperator(service, "PUT", `${path}/subscriptions`, { subscriptions });
  if (asked.limits !== undefined) await asOperator(service, "PUT", `${path}/limits`, asked.limits);
  const keys: IssuedKey[] = [];
  for (let made = 0; made < (asked.keys ?? 1); made++) {
    keys.push(await asOperator<IssuedKey>(service, "POST", `${path}/keys`, {}));
  }
  return { accountId, key: keys[0]?.key ?? "", keys };
}
