/** `/admin/files`: upload, publication and withdrawal of daily files. */
import { ok, refused } from "../base/result.ts";
import { type Withdrawal, withdrawalAgainst } from "../catalog/decisions.ts";
import type { FilePlace } from "../catalog/files.ts";
import * as catalog from "../catalog/files.ts";
import type { Upload } from "../catalog/uploads.ts";
import { auctionProblem } from "../packs/auction-file.ts";
import { parquetProblem } from "../packs/parquet-footer.ts";
import { arrivedRange, checkBytes } from "./arrival.ts";
import type { AdminContext, Routes } from "./context.ts";
import { bodyOf, byOf, dataTypeOf, inQuery, readable, reading, tradedateOf } from "./context.ts";
import type { AdminRefusal, Answered } from "./refusal.ts";
import type { ArrivalProblem, UploadTarget } from "./uploads.ts";
import { begin, complete, receivePart, storesOf, uploadingAnswer } from "./uploads.ts";
import * as wire from "./wire.ts";
import { beijingDateSchema } from "./wire-fields.ts";

const list = reading(
  [dataTypeOf, inQuery("from", beijingDateSchema), inQuery("to", beijingDateSchema)],
  async (c, dataType, from, to) =>
    ok<wire.FileList>({ files: readable(await catalog.storedFiles(c.env.DB, { dataType, from, to })) }),
);

const placeOf = reading([dataTypeOf, tradedateOf], (c, dataType, tradedate): Answered<FilePlace> => {
  const name = c.req.param("name") ?? "";
  const problem = wire.fileNameProblem(dataType, tradedate, name);
  return problem === null ? ok({ dataType, tradedate, name }) : refused({ reason: "file_name", problem });
});

const beginUpload = reading([placeOf, bodyOf(wire.beginFileUploadSchema)], async (c, place, body) => {
  const { origin, ...content } = body;
  const revisions = await catalog.revisionsAt(c.env.DB, place);
  const there = revisions.find((file) => file.origin === origin && isPresent(file, content));
  const standing = operatorsRefusal(origin, revisions);
  if (standing !== null) return refused(standing);
  if (there !== undefined) return ok<wire.FileUploadBegun>({ state: "present", file: readable(there) });
  const twin = await catalog.caseTwin(c.env.DB, place);
  if (twin !== null) {
    const problem = `it differs only in case from ${twin}, another file of this day`;
    return refused({ reason: "file_name", problem });
  }
  const against = await decisionOn(c, place, body);
  if (against?.isSame) return refused(withdrawnRefusal(place, against));
  // The claims contain the origin, because an upload of a different origin has a different object key and must not be
  // resumed.
  const claims = origin === "builder" ? { origin } : {};
  const begun = await begin(storesOf(c), fileUpload(place, origin), { ...content, claims }, byOf(c).nowMs);
  return begun.ok ? ok<wire.FileUploadBegun>(uploadingAnswer(begun.value)) : begun;
});

function decisionOn(c: AdminContext, place: FilePlace, { sha256: content }: { sha256: string }) {
  return withdrawalAgainst(c.env.DB, { target: catalog.fileTarget(place), content });
}

/** Returns whether the revision has passed its checks and has exactly this content, so that nothing is sent. */
function isPresent(file: catalog.StoredFile, content: { sizeBytes: number; sha256: string }): boolean {
  const isChecked = file.state === "verifying" || file.state === "published";
  return isChecked && file.sha256 === content.sha256 && file.sizeBytes === content.sizeBytes;
}

/** Returns the refusal of a builder's file if an operator's revision has passed its checks, otherwise null. */
function operatorsRefusal(asked: catalog.FileOrigin, revisions: catalog.StoredFile[]): AdminRefusal | null {
  const standing = revisions.find(({ origin, state }) => origin === "operator" && state !== "uploaded");
  if (asked === "operator" || standing === undefined) return null;
  const { name, revision, state } = standing;
  return { reason: "operators_file", name, revision, state };
}

/** Returns the refusal of content that cannot become a file because an operator withdrew the file or this content. */
function withdrawnRefusal(
  { dataType, tradedate, name }: FilePlace,
  { withdrawal, isSame }: { withdrawal: Withdrawal; isSame: boolean },
): AdminRefusal {
  if (!isSame) return { reason: "target_withdrawn", called: name, ...withdrawal };
  const again = `edgetape files publish --type ${dataType} --date ${tradedate} --name ${name} --revision ${withdrawal.revision}`;
  return { reason: "content_withdrawn", called: name, again, ...withdrawal };
}

const putPart = reading([placeOf], (c, place) => receivePart(c, fileUpload(place)));

const completeUpload = reading([placeOf], async (c, place) => {
  const completed = await complete(c, fileUpload(place));
  return completed.ok ? present(c, { ...place, revision: completed.value.revision }) : completed;
});

/**
 * Publishes the revision that `meant` returns for the request. Does nothing when it is already published. Earlier
 * versions of the command send no body.
 */
const publish = reading([placeOf, bodyOf(wire.publishFileSchema, {})], async (c, place, body) => {
  const meantFile = meant(place, await catalog.revisionsAt(c.env.DB, place), body.revision);
  if (!meantFile.ok) return meantFile;
  const file = meantFile.value;
  if (file.state === "published") return ok<wire.FileSummary>(readable(file));
  if (file.state === "uploaded") return refused({ reason: "file_unchecked", name: place.name });
  const { force: isForced, origin } = body;
  const published = await catalog.publishFile(c.env.DB, file, { ...byOf(c), isForced, origin });
  if (published) return present(c, file);
  const standing = operatorsRefusal(origin, await catalog.revisionsAt(c.env.DB, place));
  if (standing !== null) return refused(standing);
  const against = await decisionOn(c, place, file);
  if (against !== null && file.state !== "withdrawn") return refused(withdrawnRefusal(place, against));
  return refused({ reason: "other_publisher", called: place.name });
});

/**
 * Returns the revision to publish from `revisions` (newest first): number `revision` if given, else the only one that
 * is `verifying` or `withdrawn`, else the newest. Refuses when several are in these states and no number is given.
 */
function meant(
  place: FilePlace,
  revisions: catalog.StoredFile[],
  revision: number | undefined,
): Answered<catalog.StoredFile> {
  const [newest] = revisions;
  if (newest === undefined) return refused({ reason: "absent", what: `file ${place.name}` });
  if (revision !== undefined) {
    const named = revisions.find((each) => each.revision === revision);
    if (named !== undefined) return ok(named);
    return refused({ reason: "file_changed", name: place.name, revision, newest: newest.revision });
  }
  const waiting = revisions.filter(({ state }) => state === "verifying" || state === "withdrawn");
  const [only = newest, ...others] = waiting;
  if (others.length === 0) return ok(only);
  const named = waiting.map((each) => {
    return { revision: each.revision, state: each.state === "withdrawn" ? each.state : "never published" };
  });
  return refused({ reason: "revision_unclear", name: place.name, waiting: named });
}

/**
 * Withdraws the published revision. If none is published, withdraws the newest one, so that no one publishes it by
 * mistake.
 */
const withdraw = reading([placeOf, bodyOf(wire.withdrawFileSchema)], async (c, place, { note }) => {
  const revisions = await catalog.revisionsAt(c.env.DB, place);
  const file = revisions.find(({ state }) => state === "published") ?? revisions[0];
  if (file === undefined) return refused({ reason: "absent", what: `file ${place.name}` });
  if (file.state === "withdrawn") return ok<wire.FileSummary>(readable(file));
  if (file.state === "uploaded") return refused({ reason: "file_unchecked", name: place.name });
  const withdrawn = await catalog.withdrawFile(c.env.DB, file, { ...byOf(c), note });
  return withdrawn ? present(c, file) : refused({ reason: "other_publisher", called: place.name });
});

/** Returns the revision in its current state, or a refusal if a newer revision has replaced it. */
async function present(
  c: AdminContext,
  file: FilePlace & { revision: number },
): Promise<Answered<wire.FileSummary>> {
  const now = (await catalog.revisionsAt(c.env.DB, file)).find(({ revision }) => revision === file.revision);
  return now === undefined ? refused({ reason: "other_publisher", called: file.name }) : ok(readable(now));
}

/** The claims of a file upload in addition to size and checksum. */
type FileClaims = { origin?: catalog.FileOrigin };

/** Returns the upload target for the file at `place`. `origin` determines the object key of a new upload. */
function fileUpload(place: FilePlace, origin: catalog.FileOrigin = "operator"): UploadTarget<FileClaims> {
  return {
    target: catalog.fileTarget(place),
    called: place.name,
    objectKey: (revision) => catalog.fileObjectKey(place, revision, origin),
    async settle({ db, bucket }, upload, etag, by) {
      const arrived = { place, upload, etag };
      await catalog.enterFile(db, arrived, by.nowMs);
      const wrong = await checkFile(bucket, arrived);
      if (wrong !== null) return wrong;
      return (await catalog.acceptFile(db, arrived, by)) ? "settled" : "lost";
    },
  };
}

/**
 * Returns what is wrong with an uploaded file, or null. Checks the size and checksum of every file, the footer of an
 * auction pack (contract 8.7), and that any other `.parquet` file has a readable footer. Does not decode pages, because
 * a worker lacks the memory. The command has decoded them before the upload.
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

export const FILE_ROUTES: Routes = {
  "GET /files/:type": ["read publish", list],
  "POST /files/:type/:date/:name/uploads": ["publish", beginUpload],
  "PUT /files/:type/:date/:name/uploads/:uploadId/parts/:n": ["publish", putPart],
  "POST /files/:type/:date/:name/uploads/:uploadId/complete": ["publish", completeUpload],
  "POST /files/:type/:date/:name/publish": ["publish", publish],
  "POST /files/:type/:date/:name/withdraw": ["publish", withdraw],
};
