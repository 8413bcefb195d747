/** Support for the worker tests of `/admin/files`: creates files and uploads them as the command does. */
import {
  type FileSummary,
  type FileUploadBegun,
  PART_SHA256_HEADER,
  PART_SIZE_BYTES,
} from "../../../src/admin/wire.ts";
import type { DailyFile } from "../../support/files.ts";
import { sha256 } from "../../support/operator.ts";
import { type AdminAnswer, admin, testEnv } from "./operator.ts";

export const pathOf = ({ type, date, name }: { type: string; date: string; name: string }) =>
  `/files/${type}/${date}/${encodeURIComponent(name)}`;

export async function begin(
  file: Omit<DailyFile, "type"> & { type: string },
  claims: Record<string, unknown> = {},
): Promise<AdminAnswer<FileUploadBegun>> {
  const body = { sizeBytes: file.bytes.length, sha256: sha256(file.bytes), ...claims };
  return admin<FileUploadBegun>("POST", `${pathOf(file)}/uploads`, body);
}

export async function sendParts(
  file: DailyFile,
  { uploadId, partCount }: { uploadId: string; partCount: number },
): Promise<void> {
  for (let n = 1; n <= partCount; n++) {
    const part = file.bytes.slice((n - 1) * PART_SIZE_BYTES, n * PART_SIZE_BYTES);
    const headers = { [PART_SHA256_HEADER]: sha256(part) };
    await admin("PUT", `${pathOf(file)}/uploads/${uploadId}/parts/${n}`, part, { headers });
  }
}

export function complete(
  file: DailyFile,
  { uploadId }: { uploadId: string },
): Promise<AdminAnswer<FileSummary>> {
  return admin<FileSummary>("POST", `${pathOf(file)}/uploads/${uploadId}/complete`);
}

/** Runs all three steps of an upload. The answer can be a refusal. */
export async function add(
  file: DailyFile,
  claims: Record<string, unknown> = {},
): Promise<AdminAnswer<FileSummary>> {
  const begun = await begin(file, claims);
  if (begun.status !== 200) return begun as unknown as AdminAnswer<FileSummary>;
  if (begun.body.state === "present") return { status: 200, body: begun.body.file };
  await sendParts(file, begun.body);
  return complete(file, begun.body);
}

/** Publishes with `ask` as the body, or without a body, as earlier versions of the command do. */
export const publish = (
  file: DailyFile,
  ask?: { revision?: number; force?: boolean; origin?: "operator" | "builder" },
) => admin<FileSummary>("POST", `${pathOf(file)}/publish`, ask);
export const withdraw = (file: DailyFile, note = "") =>
  admin<FileSummary>("POST", `${pathOf(file)}/withdraw`, { note });

/** Returns the audited actions on a file, oldest first. */
export async function auditOf({ type, date, name }: DailyFile): Promise<string[]> {
  const { results } = await testEnv.DB.prepare("SELECT action FROM audit WHERE subject = ? ORDER BY audit_id")
    .bind(`${type}/${date}/${name}`)
    .all<{ action: string }>();
  return results.map(({ action }) => action);
}
