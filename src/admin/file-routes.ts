/** `/admin/files`: upload, publication and withdrawal of operators' daily files. */
import { Hono } from "hono";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { type Withdrawal, withdrawalAgainst } from "../catalog/decisions.ts";
import {
  acceptFile,
  caseTwin,
  enterFile,
  type FileOrigin,
  fileObjectKey,
  fileTarget,
  publishFile,
  revisionsAt,
  type StoredFile,
  storedFiles,
  withdrawFile,
} from "../catalog/file-states.ts";
import type { FilePlace } from "../catalog/files.ts";
import { findUpload, type Upload } from "../catalog/uploads.ts";
import { auctionProblem } from "../packs/auction-file.ts";
import { parquetProblem } from "../packs/parquet-footer.ts";
import { arrivedRange, checkBytes } from "./arrival.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal, parsed } from "./context.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { ArrivalProblem, UploadTarget } from "./uploads.ts";
import { begin, complete, receivePart, storesOf, uploadingAnswer } from "./uploads.ts";
import {
  beginFileUploadSchema,
  dataTypeSchema,
  type FileList,
  type FileSummary,
  type FileUploadBegun,
  fileNameProblem,
  publishFileSchema,
  type StoredPart,
  withdrawFileSchema,
} from "./wire.ts";
import { beijingDateSchema } from "./wire-fields.ts";

/** Returns the routes below `/admin/files`. */
export function fileRoutes(): Hono<AdminEnv> {
  const file = "/:type/:date/:name";
  return new Hono<AdminEnv>()
    .get("/:type", async (c) => answer(c, await list(c)))
    .post(`${file}/uploads`, async (c) => answer(c, await beginUpload(c)))
    .put(`${file}/uploads/:uploadId/parts/:n`, async (c) => answer(c, await putPart(c)))
    .post(`${file}/uploads/:uploadId/complete`, async (c) => answer(c, await completeUpload(c)))
    .post(`${file}/publish`, async (c) => answer(c, await publish(c)))
    .post(`${file}/withdraw`, async (c) => answer(c, await withdraw(c)));
}

async function list(c: AdminContext): Promise<FileList | AdminRefusal> {
  const dataType = parsed(dataTypeSchema, c.req.param("type"), "The type in the path");
  if (typeof dataType !== "string") return dataType;
  const from = parsed(beijingDateSchema, c.req.query("from"), "from");
  if (typeof from !== "string") return from;
  const to = parsed(beijingDateSchema, c.req.query("to"), "to");
  if (typeof to !== "string") return to;
  return { files: (await storedFiles(c.env.DB, { dataType, from, to })).map(summaryOf) };
}

async function beginUpload(c: AdminContext): Promise<FileUploadBegun | AdminRefusal> {
  const place = placeOf(c);
  if (isRefusal(place)) return place;
  const body = await bodyOf(c, beginFileUploadSchema);
  if (isRefusal(body)) return body;
  const { origin, ...content } = body;
  const revisions = await revisionsAt(c.env.DB, place);
  const there = revisions.find((file) => file.origin === origin && isPresent(file, content));
  const standing = origin === "builder" ? operatorsRefusal(revisions) : null;
  if (standing !== null) return standing;
  if (there !== undefined) return { state: "present", file: summaryOf(there) };
  const twin = await caseTwin(c.env.DB, place);
  if (twin !== null) {
    return { reason: "file_name", problem: `it differs only in case from ${twin}, which the day has` };
  }
  const against = await withdrawalAgainst(c.env.DB, { target: fileTarget(place), content: body.sha256 });
  if (against?.isSame) return withdrawnRefusal(place, against);
  // An upload of the other origin is not resumed: its object has another key.
  const claims = origin === "builder" ? { origin } : {};
  const begun = await begin(storesOf(c), fileUpload(place, origin), { ...content, claims }, byOf(c).nowMs);
  return isRefusal(begun) ? begun : uploadingAnswer(begun);
}

/** Returns whether a checked revision has exactly this content, so that nothing needs to be sent. */
function isPresent(file: StoredFile, content: { sizeBytes: number; sha256: string }): boolean {
  const isChecked = file.state === "verifying" || file.state === "published";
  return isChecked && file.sha256 === content.sha256 && file.sizeBytes === content.sizeBytes;
}

/** Returns the refusal of what the builder made while an operator's revision stands, in whatever state. */
function operatorsRefusal(revisions: readonly StoredFile[]): AdminRefusal | null {
  const standing = revisions.find(({ origin, state }) => origin === "operator" && state !== "uploaded");
  return standing === undefined
    ? null
    : { reason: "operators_file", name: standing.name, revision: standing.revision, state: standing.state };
}

/** Returns the refusal when an operator's withdrawal prevents this content of the file. */
function withdrawnRefusal(
  { dataType, tradedate, name }: FilePlace,
  { withdrawal, isSame }: { withdrawal: Withdrawal; isSame: boolean },
): AdminRefusal {
  if (!isSame) return { reason: "target_withdrawn", called: name, ...withdrawal };
  const again = `edgetape files publish --type ${dataType} --date ${tradedate} --name ${name} --revision ${withdrawal.revision}`;
  return { reason: "content_withdrawn", called: name, again, ...withdrawal };
}

async function putPart(c: AdminContext): Promise<StoredPart | AdminRefusal> {
  const found = await uploadOf(c);
  return isRefusal(found) ? found : receivePart(c, found.upload);
}

async function completeUpload(c: AdminContext): Promise<FileSummary | AdminRefusal> {
  const found = await uploadOf(c);
  if (isRefusal(found)) return found;
  const { place, upload } = found;
  const completed = await complete(storesOf(c), { target: fileUpload(place), upload, by: byOf(c) });
  if (isRefusal(completed)) return completed;
  const file = (await revisionsAt(c.env.DB, place)).find(({ revision }) => revision === upload.revision);
  return file === undefined ? { reason: "other_publisher", called: place.name } : summaryOf(file);
}

/** Publishes the revision that the operator names. Does nothing when it is already published. */
async function publish(c: AdminContext): Promise<FileSummary | AdminRefusal> {
  const place = placeOf(c);
  if (isRefusal(place)) return place;
  // Earlier versions of the command send no body.
  const body = await bodyOf(c, publishFileSchema, {});
  if (isRefusal(body)) return body;
  const file = meant(place, await revisionsAt(c.env.DB, place), body.revision);
  if (isRefusal(file)) return file;
  if (file.state === "published") return summaryOf(file);
  if (file.state === "uploaded") return { reason: "file_unchecked", name: place.name };
  const { force: isForced, origin } = body;
  const published = await publishFile(c.env.DB, file, { ...byOf(c), isForced, origin });
  if (published) return present(c, file);
  const standing = origin === "builder" ? operatorsRefusal(await revisionsAt(c.env.DB, place)) : null;
  if (standing !== null) return standing;
  const against = await withdrawalAgainst(c.env.DB, { target: fileTarget(place), content: file.sha256 });
  if (against !== null && file.state !== "withdrawn") return withdrawnRefusal(place, against);
  return { reason: "other_publisher", called: place.name };
}

/**
 * Returns the revision to publish among `revisions` (newest first): the named one; without a name the only waiting one,
 * or the published one when none waits.
 */
function meant(
  place: FilePlace,
  revisions: StoredFile[],
  revision: number | undefined,
): StoredFile | AdminRefusal {
  const [newest] = revisions;
  if (newest === undefined) return absent(place);
  if (revision !== undefined) {
    const named = revisions.find((each) => each.revision === revision);
    return named ?? { reason: "file_changed", name: place.name, revision, newest: newest.revision };
  }
  const waiting = revisions.filter(({ state }) => state === "verifying" || state === "withdrawn");
  const [only, ...others] = waiting;
  if (others.length > 0) {
    return {
      reason: "revision_unclear",
      name: place.name,
      waiting: waiting.map(({ revision: number, state }) => ({
        revision: number,
        state: state === "withdrawn" ? state : "never published",
      })),
    };
  }
  return only ?? newest;
}

/** Withdraws the published revision, or else the newest one, so that it is not published by mistake. */
async function withdraw(c: AdminContext): Promise<FileSummary | AdminRefusal> {
  const place = placeOf(c);
  if (isRefusal(place)) return place;
  const body = await bodyOf(c, withdrawFileSchema);
  if (isRefusal(body)) return body;
  const revisions = await revisionsAt(c.env.DB, place);
  const file = revisions.find(({ state }) => state === "published") ?? revisions[0];
  if (file === undefined) return absent(place);
  if (file.state === "withdrawn") return summaryOf(file);
  if (file.state === "uploaded") return { reason: "file_unchecked", name: place.name };
  const withdrawn = await withdrawFile(c.env.DB, file, { ...byOf(c), note: body.note });
  return withdrawn ? present(c, file) : { reason: "other_publisher", called: place.name };
}

/** Returns the current state of the revision. */
async function present(c: AdminContext, file: StoredFile): Promise<FileSummary | AdminRefusal> {
  const now = (await revisionsAt(c.env.DB, file)).find(({ revision }) => revision === file.revision);
  return now === undefined ? { reason: "other_publisher", called: file.name } : summaryOf(now);
}

function placeOf(c: AdminContext): FilePlace | AdminRefusal {
  const dataType = parsed(dataTypeSchema, c.req.param("type"), "The type in the path");
  if (typeof dataType !== "string") return dataType;
  const tradedate = parsed(beijingDateSchema, c.req.param("date"), "The date in the path");
  if (typeof tradedate !== "string") return tradedate;
  const name = c.req.param("name") ?? "";
  const problem = fileNameProblem(dataType, tradedate, name);
  return problem === null ? { dataType, tradedate, name } : { reason: "file_name", problem };
}

async function uploadOf(
  c: AdminContext,
): Promise<{ place: FilePlace; upload: Upload<FileClaims> } | AdminRefusal> {
  const place = placeOf(c);
  if (isRefusal(place)) return place;
  const uploadId = c.req.param("uploadId") ?? "";
  const upload = await findUpload<FileClaims>(c.env.DB, fileTarget(place), uploadId);
  return upload === null
    ? { reason: "absent", what: `upload of ${place.name} with this id` }
    : { place, upload };
}

function absent({ name }: FilePlace): AdminRefusal {
  return { reason: "absent", what: `file ${name}` };
}

function summaryOf({ uploadedAtMs, publishedAtMs, ...file }: StoredFile): FileSummary {
  return {
    ...file,
    uploadedAt: beijingTimestamp(uploadedAtMs),
    publishedAt: publishedAtMs === null ? null : beijingTimestamp(publishedAtMs),
  };
}

/** What an upload says besides size and checksum. */
type FileClaims = { origin?: FileOrigin };

/** Returns the upload target for the file at `place`; a new upload is of `origin`. */
function fileUpload(place: FilePlace, origin: FileOrigin = "operator"): UploadTarget<FileClaims> {
  return {
    target: fileTarget(place),
    called: place.name,
    objectKey: (revision) => fileObjectKey(place, revision, origin),
    async settle({ db, bucket }, upload, etag, by) {
      const arrived = { place, upload, etag };
      await enterFile(db, arrived, by.nowMs);
      const wrong = await checkFile(bucket, arrived);
      if (wrong !== null) return wrong;
      return (await acceptFile(db, arrived, by)) ? "settled" : "lost";
    },
  };
}

/**
 * Checks size and checksum of any file, the footer of an auction pack (contract 8.7), and that any other `.parquet` has
 * a footer. The command has decoded every page before the upload, for which a worker lacks the memory.
 */
async function checkFile(
  bucket: R2Bucket,
  { place, ...arrived }: { place: FilePlace; upload: Upload; etag: string },
): Promise<ArrivalProblem | null> {
  const wrong = await checkBytes(bucket, arrived);
  const isAuction = place.dataType === "auction_tick";
  if (wrong !== null || !(isAuction || /\.parquet$/i.test(place.name))) return wrong;
  const { upload, etag } = arrived;
  const readRange = arrivedRange(bucket, { ...upload, etag });
  const problem = isAuction
    ? await auctionProblem(upload.sizeBytes, readRange, place.tradedate)
    : await parquetProblem(upload.sizeBytes, readRange);
  return problem === null ? null : { problem };
}
