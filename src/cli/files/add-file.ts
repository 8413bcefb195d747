/**
 * Adding a daily file: begin or take up the upload, send the parts the service has not got, complete. What
 * is offered changes by `files publish` only, so whatever is killed before it can simply be run again.
 */
import {
  type BeginFileUpload,
  type FileSummary,
  fileNameProblem,
  fileSummarySchema,
  fileUploadBegunSchema,
  type PublishFile,
} from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { dailyFileProblem } from "../../pack-builder/daily-file.ts";
import { type LocalFile, openLocalFile } from "../../pack-builder/local-file.ts";
import { type AdminClient, HASHING_MS } from "../admin-client.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { sendParts } from "../publish/send-parts.ts";

/** Which file of which day. */
export interface FilePlace {
  dataType: FileSummary["dataType"];
  tradedate: BeijingDate;
  name: string;
}

/** The path of a file's admin routes. */
export function fileRoute({ dataType, tradedate, name }: FilePlace): string {
  return `/admin/files/${dataType}/${tradedate}/${encodeURIComponent(name)}`;
}

/** Refuses a name that the service would refuse, before anything is read. */
export function refuseWrongName({ dataType, tradedate, name }: FilePlace): void {
  const problem = fileNameProblem(dataType, tradedate, name);
  if (problem !== null) throw new CommandFailure(`${name}: ${problem}.`, EXIT.usage);
}

/**
 * Opens the file at `path` that is to be added at `place`; one that cannot be read, an empty one, and an auction pack
 * or other Parquet file with a page that cannot be decoded end the command with a sentence. With a `root`, no link is
 * followed and nothing outside it is read. The caller closes it.
 */
export async function openDailyFile(path: string, place: FilePlace, root?: string): Promise<LocalFile> {
  const file = await openLocalFile(path, root);
  if ("reason" in file) {
    throw new CommandFailure(
      file.code === "ELOOP"
        ? `${path} is a link, and links are not followed; put there what it leads to.`
        : `${path} cannot be read (${file.code}).`,
    );
  }
  const problem = await dailyFileProblem(path, file, place);
  if (problem === null) return file;
  await file.close();
  throw new CommandFailure(`${path} is not taken: ${problem}.`);
}

/** Adds `file` at `place`; resumable and idempotent. It is offered after `publishFile` only. */
export async function addFile(
  client: AdminClient,
  place: FilePlace,
  file: LocalFile,
  onSent?: (bytes: number) => void,
): Promise<FileSummary> {
  const uploads = `${fileRoute(place)}/uploads`;
  const body: BeginFileUpload = { sizeBytes: file.sizeBytes, sha256: await file.sha256() };
  const begun = await client.request(fileUploadBegunSchema, "POST", uploads, { body, repeatable: true });
  if (begun.state === "present") return begun.file;
  const upload = `${uploads}/${encodeURIComponent(begun.uploadId)}`;
  await sendParts(client, { file, begun, upload, onSent });
  return client.request(fileSummarySchema, "POST", `${upload}/complete`, {
    repeatable: true,
    silenceMs: HASHING_MS,
  });
}

/** Offers a revision of a file to shares: the one that was looked at or just added, else the only one that waits. */
export function publishFile(client: AdminClient, place: FilePlace, ask: PublishFile): Promise<FileSummary> {
  const request = { body: ask, repeatable: true };
  return client.request(fileSummarySchema, "POST", `${fileRoute(place)}/publish`, request);
}
