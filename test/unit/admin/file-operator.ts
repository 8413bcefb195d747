/** What the worker tests of `/admin/files` share: files to add, and adding them as the operator's command does. */
import {
  type FileSummary,
  type FileUploadBegun,
  PART_SHA256_HEADER,
  PART_SIZE_BYTES,
} from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { sampleAuction } from "../../../src/pack-builder/sample/auction.ts";
import { auctionPackBytes } from "../../../src/pack-builder/sample/auction-pack.ts";
import { type AdminAnswer, admin, sha256, testEnv } from "./operator.ts";

export interface TestFile {
  type: string;
  date: string;
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export const pathOf = ({ type, date, name }: Omit<TestFile, "bytes">) =>
  `/files/${type}/${date}/${encodeURIComponent(name)}`;

/** A file of the operator's own in a level2 share. */
export function archive(date: string, text: string, name = `${date}_trades.csv`): TestFile {
  return { type: "level2", date, name, bytes: new Uint8Array(new TextEncoder().encode(text)) };
}

/** An auction pack of two securities; another `rows` is another content. */
export function auctionPack(date: string, rows = 5): TestFile {
  const ticks = sampleAuction(date as BeijingDate).slice(0, rows);
  return { type: "auction_tick", date, name: `${date}_aucde.parquet`, bytes: auctionPackBytes(ticks) };
}

export async function begin(
  file: TestFile,
  claims: Record<string, unknown> = {},
): Promise<AdminAnswer<FileUploadBegun>> {
  const body = { sizeBytes: file.bytes.length, sha256: await sha256(file.bytes), ...claims };
  return admin<FileUploadBegun>("POST", `${pathOf(file)}/uploads`, body);
}

export async function sendParts(
  file: TestFile,
  { uploadId, partCount }: { uploadId: string; partCount: number },
): Promise<void> {
  for (let n = 1; n <= partCount; n++) {
    const part = file.bytes.slice((n - 1) * PART_SIZE_BYTES, n * PART_SIZE_BYTES);
    const headers = { [PART_SHA256_HEADER]: await sha256(part) };
    await admin("PUT", `${pathOf(file)}/uploads/${uploadId}/parts/${n}`, part, { headers });
  }
}

export function complete(
  file: TestFile,
  { uploadId }: { uploadId: string },
): Promise<AdminAnswer<FileSummary>> {
  return admin<FileSummary>("POST", `${pathOf(file)}/uploads/${uploadId}/complete`);
}

/** All three steps; the answer may be a refusal. */
export async function add(file: TestFile): Promise<AdminAnswer<FileSummary>> {
  const begun = await begin(file);
  if (begun.status !== 200) return begun as unknown as AdminAnswer<FileSummary>;
  if (begun.body.state === "present") return { status: 200, body: begun.body.file };
  await sendParts(file, begun.body);
  return complete(file, begun.body);
}

/** Publishes as commands of earlier versions do, without a body, or what `ask` says. */
export const publish = (file: TestFile, ask?: { revision?: number; force?: boolean }) =>
  admin<FileSummary>("POST", `${pathOf(file)}/publish`, ask);
export const withdraw = (file: TestFile, note = "") =>
  admin<FileSummary>("POST", `${pathOf(file)}/withdraw`, { note });

/** The audit's actions on a file, oldest first. */
export async function auditOf({ type, date, name }: TestFile): Promise<string[]> {
  const { results } = await testEnv.DB.prepare("SELECT action FROM audit WHERE subject = ? ORDER BY audit_id")
    .bind(`${type}/${date}/${name}`)
    .all<{ action: string }>();
  return results.map(({ action }) => action);
}
