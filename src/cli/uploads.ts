/** Sends the parts of an upload, for packs and files. Lists, uploads, publishes and withdraws daily files. */
import { createHash } from "node:crypto";
import * as wire from "../admin/wire.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { LocalFile } from "../pack-builder/local-file.ts";
import { type AdminClient, HASHING } from "./admin-client.ts";
import { CommandFailure } from "./exit.ts";

/** The number of concurrent parts: enough to hide the network latency, few enough for a worker's memory. */
const PARALLEL_PARTS = 3;

interface Sending {
  file: Pick<LocalFile, "read">;
  /** The answer to the request that opened the upload. */
  begun: wire.Uploading;
  /** Returns the path of part `n`, relative to the service's URL. */
  partPath: (n: number) => string;
  /** Called with the number of uploaded bytes. */
  onSent?: ((bytes: number) => void) | undefined;
}

/**
 * Sends every missing part with its checksum, several parts at a time. After a failure no further part is started, and
 * the error is thrown when the running parts have ended.
 */
export async function sendParts(client: AdminClient, { file, begun, partPath, onSent }: Sending) {
  const { partSizeBytes } = begun;
  const stored = new Set(begun.parts.map((part) => part.n));
  let sent = begun.parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  onSent?.(sent);
  const missing = Array.from({ length: begun.partCount }, (_, at) => at + 1).filter((n) => !stored.has(n));
  const sender = async () => {
    for (let n = missing.shift(); n !== undefined; n = missing.shift()) {
      // `sent` is read only after the wait. `sent += await …` would read it earlier and lose the bytes that other
      // senders add during the wait.
      const bytes = await file.read((n - 1) * partSizeBytes, partSizeBytes);
      await sendPart(client, partPath(n), bytes).catch((error: unknown) => {
        missing.length = 0;
        throw error;
      });
      sent += bytes.length;
      onSent?.(sent);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL_PARTS }, sender));
  const failed = ended.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function sendPart(client: AdminClient, path: string, bytes: Uint8Array): Promise<void> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const headers = { [wire.PART_SHA256_HEADER]: sha256 };
  const stored = await client.put(wire.storedPartSchema, path, { body: bytes, headers });
  if (stored.sha256 !== sha256) {
    throw new CommandFailure(
      `The service received part ${stored.n} with different bytes; run the command again.`,
    );
  }
}

/** A file's type, day and name. */
export interface FilePlace {
  dataType: wire.FileSummary["dataType"];
  tradedate: BeijingDate;
  name: string;
}

/** Returns the path of a file's admin routes. */
function fileRoute({ dataType, tradedate, name }: FilePlace): string {
  return `/admin/files/${dataType}/${tradedate}/${encodeURIComponent(name)}`;
}

/**
 * Uploads `file` to `place`; resumable and idempotent. Shares offer the file only after `publishFile`. The `origin` of a
 * file made from quotes is `builder`; such a file never replaces an operator's.
 */
export async function addFile(
  client: AdminClient,
  place: FilePlace,
  file: LocalFile,
  { onSent, origin = "operator" }: Pick<Sending, "onSent"> & Partial<Pick<wire.FileSummary, "origin">> = {},
): Promise<wire.FileSummary> {
  const uploads = `${fileRoute(place)}/uploads`;
  const content = { sizeBytes: file.sizeBytes, sha256: await file.sha256() };
  // Services of earlier versions refuse requests with an unknown field.
  const body: wire.BeginFileUpload = origin === "operator" ? content : { ...content, origin };
  const begun = await client.post(wire.fileUploadBegunSchema, uploads, { body, repeatable: true });
  if (begun.state === "present") return begun.file;
  const upload = `${uploads}/${encodeURIComponent(begun.uploadId)}`;
  await sendParts(client, { file, begun, partPath: (n) => `${upload}/parts/${n}`, onSent });
  return client.post(wire.fileSummarySchema, `${upload}/complete`, HASHING);
}

/** Returns the service's daily files of a type from `first` to `last`, both included, in every state. */
export async function listFiles(client: AdminClient, dataType: string, first: string, last: string) {
  const path = `/admin/files/${dataType}?from=${first}&to=${last}`;
  return (await client.get(wire.fileListSchema, path)).files;
}

/** Publishes a revision of a file: the one that `ask` names, or else the only one that can be published. */
export function publishFile(client: AdminClient, place: FilePlace, ask: wire.PublishFile) {
  return client.post(wire.fileSummarySchema, `${fileRoute(place)}/publish`, { body: ask, repeatable: true });
}

/** Withdraws a file from shares, with a note for other operators. */
export function withdrawFile(client: AdminClient, place: FilePlace, note: string): Promise<wire.FileSummary> {
  const request = { body: { note }, repeatable: true };
  return client.post(wire.fileSummarySchema, `${fileRoute(place)}/withdraw`, request);
}
