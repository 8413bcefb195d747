/** Uploads and publishes daily files at the service. */
import {
  type BeginFileUpload,
  type FileSummary,
  fileSummarySchema,
  fileUploadBegunSchema,
  type PublishFile,
} from "../admin/wire.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { LocalFile } from "../pack-builder/local-file.ts";
import { type AdminClient, HASHING_MS } from "./admin-client.ts";
import { sendParts } from "./upload-parts.ts";

/** A file's type, day and name. */
export interface FilePlace {
  dataType: FileSummary["dataType"];
  tradedate: BeijingDate;
  name: string;
}

/** Returns the path of a file's admin routes. */
function fileRoute({ dataType, tradedate, name }: FilePlace): string {
  return `/admin/files/${dataType}/${tradedate}/${encodeURIComponent(name)}`;
}

export interface AddOptions {
  /** Called with the number of uploaded bytes. */
  onSent?: (bytes: number) => void;
  /** `builder` for files made from quotes, which never replace an operator's file. */
  origin?: FileSummary["origin"];
}

/** Uploads `file` to `place`; resumable and idempotent. Shares offer the file only after `publishFile`. */
export async function addFile(
  client: AdminClient,
  place: FilePlace,
  file: LocalFile,
  { onSent, origin = "operator" }: AddOptions = {},
): Promise<FileSummary> {
  const uploads = `${fileRoute(place)}/uploads`;
  const content = { sizeBytes: file.sizeBytes, sha256: await file.sha256() };
  // Services of earlier versions refuse requests with an unknown field.
  const body: BeginFileUpload = origin === "operator" ? content : { ...content, origin };
  const begun = await client.request(fileUploadBegunSchema, "POST", uploads, { body, repeatable: true });
  if (begun.state === "present") return begun.file;
  const upload = `${uploads}/${encodeURIComponent(begun.uploadId)}`;
  await sendParts(client, { file, begun, partPath: (n) => `${upload}/parts/${n}`, onSent });
  return client.request(fileSummarySchema, "POST", `${upload}/complete`, {
    repeatable: true,
    silenceMs: HASHING_MS,
  });
}

/** Publishes a revision of a file: the one that `ask` names, or else the only one that can be published. */
export function publishFile(client: AdminClient, place: FilePlace, ask: PublishFile): Promise<FileSummary> {
  const request = { body: ask, repeatable: true };
  return client.request(fileSummarySchema, "POST", `${fileRoute(place)}/publish`, request);
}

/** Withdraws a file from shares, with a note for other operators. */
export function withdrawFile(client: AdminClient, place: FilePlace, note: string): Promise<FileSummary> {
  const request = { body: { note }, repeatable: true };
  return client.request(fileSummarySchema, "POST", `${fileRoute(place)}/withdraw`, request);
}
