/** `/admin/days`: what is loaded, and publishing in three steps (begin, parts, complete). */
import { Hono } from "hono";
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { type DayRevision, dayRevisions, type ServedDay, servedDay, servedDays } from "../catalog/days.ts";
import { findUpload, type Upload } from "../catalog/uploads.ts";
import {
  type AdminContext,
  type AdminEnv,
  answer,
  bodyOf,
  byOf,
  isRefusal,
  parsed,
  readAtMost,
} from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { begin, type Stores } from "./upload-begin.ts";
import { complete } from "./upload-complete.ts";
import { partCountOf, storePart } from "./upload-part.ts";
import {
  beginUploadSchema,
  type DayDetail,
  type DayList,
  type DaySummary,
  PART_SHA256_HEADER,
  PART_SIZE_BYTES,
  type Published,
  type StoredPart,
  type UploadBegun,
} from "./wire.ts";
import { beijingDateSchema, monthSchema, sha256Schema } from "./wire-fields.ts";

/** The routes below `/admin/days`. */
export function dayRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await listMonth(c)))
    .get("/:date", async (c) => answer(c, await showDay(c)))
    .post("/:date/uploads", async (c) => answer(c, await beginUpload(c)))
    .put("/:date/uploads/:uploadId/parts/:n", async (c) => answer(c, await putPart(c)))
    .post("/:date/uploads/:uploadId/complete", async (c) => answer(c, await completeUpload(c)));
}

async function listMonth(c: AdminContext): Promise<DayList | AdminRefusal> {
  const month = parsed(monthSchema, c.req.query("month"), "month");
  if (typeof month !== "string") return month;
  // Days are compared as text, so the 31st stands for the end of a shorter month too.
  const days = await servedDays(c.env.DB, `${month}01` as BeijingDate, `${month}31` as BeijingDate);
  return { month, days: days.map(summaryOf) };
}

async function showDay(c: AdminContext): Promise<DayDetail | AdminRefusal> {
  const date = dateOf(c);
  if (typeof date !== "string") return date;
  const day = await servedDay(c.env.DB, date);
  if (day === null) return { reason: "absent", what: `loaded day ${date}` };
  const revisions = await dayRevisions(c.env.DB, date);
  return { day: summaryOf(day), revisions: revisions.map(revisionOf) };
}

async function beginUpload(c: AdminContext): Promise<UploadBegun | AdminRefusal> {
  const date = dateOf(c);
  if (typeof date !== "string") return date;
  const body = await bodyOf(c, beginUploadSchema);
  if (isRefusal(body)) return body;
  const { force, ...claims } = body;
  const begun = await begin(storesOf(c), date, { claims, force, nowMs: byOf(c).nowMs });
  if (isRefusal(begun)) return begun;
  if ("served" in begun) return { state: "served", day: summaryOf(begun.served) };
  const { uploadId, revision, sizeBytes } = begun.upload;
  return {
    state: "uploading",
    uploadId,
    revision,
    partSizeBytes: PART_SIZE_BYTES,
    partCount: partCountOf(sizeBytes),
    parts: begun.parts.map(({ etag: _, ...part }) => part),
  };
}

async function putPart(c: AdminContext): Promise<StoredPart | AdminRefusal> {
  const upload = await uploadOf(c);
  if (isRefusal(upload)) return upload;
  if (upload.state !== "uploading") {
    const state = upload.state === "completing" ? "served" : upload.state;
    return { reason: "upload_ended", state, note: upload.stateNote };
  }
  const n = c.req.param("n") ?? "";
  if (!/^[1-9]\d{0,4}$/.test(n))
    return { reason: "part_number", n, partCount: partCountOf(upload.sizeBytes) };
  const sha256 = sha256Schema.safeParse(c.req.header(PART_SHA256_HEADER));
  if (!sha256.success) return { reason: "part_hash_absent" };
  const bytes = await readAtMost(c.req.raw.body, PART_SIZE_BYTES);
  return storePart(storesOf(c), upload, { n: Number(n), bytes, sha256: sha256.data });
}

async function completeUpload(c: AdminContext): Promise<Published | AdminRefusal> {
  const upload = await uploadOf(c);
  if (isRefusal(upload)) return upload;
  const completed = await complete(storesOf(c), upload, byOf(c));
  if (isRefusal(completed)) return completed;
  const day = await servedDay(c.env.DB, upload.tradedate);
  if (day === null) throw new Error(`${upload.tradedate} was served and is not there`);
  return { day: summaryOf(day), newRevision: completed.newRevision };
}

function storesOf(c: AdminContext): Stores {
  return { db: c.env.DB, bucket: c.env.PACKS };
}

function dateOf(c: AdminContext): BeijingDate | AdminRefusal {
  return parsed(beijingDateSchema, c.req.param("date"), "The date in the path");
}

async function uploadOf(c: AdminContext): Promise<Upload | AdminRefusal> {
  const date = dateOf(c);
  if (typeof date !== "string") return date;
  const upload = await findUpload(c.env.DB, date, c.req.param("uploadId") ?? "");
  return upload ?? { reason: "absent", what: `upload of ${date} with this id` };
}

function summaryOf({ publishedAtMs, ...day }: ServedDay): DaySummary {
  return { ...day, publishedAt: beijingTimestamp(publishedAtMs) };
}

function revisionOf({
  publishedAtMs,
  replacedAtMs,
  ...revision
}: DayRevision): DayDetail["revisions"][number] {
  return {
    ...revision,
    publishedAt: beijingTimestamp(publishedAtMs),
    replacedAt: replacedAtMs === null ? null : beijingTimestamp(replacedAtMs),
  };
}
