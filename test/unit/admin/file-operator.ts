/** Support for the worker tests of `/admin/files`: creates files and uploads them as the command does. */
import type { FileSummary, FileUploadBegun, Uploading } from "../../../src/admin/wire.ts";
import type { DailyFile } from "../../support/files.ts";
import { sha256 } from "../../support/operator.ts";
import { type AdminAnswer, admin, auditOf, sendBytes } from "./operator.ts";

export const pathOf = ({ type, date, name }: { type: string; date: string; name: string }) =>
  `/files/${type}/${date}/${encodeURIComponent(name)}`;

export async function begin(
  file: Omit<DailyFile, "type"> & { type: string },
  claims: Record<string, unknown> = {},
): Promise<AdminAnswer<FileUploadBegun>> {
  const body = { sizeBytes: file.bytes.length, sha256: sha256(file.bytes), ...claims };
  return admin<FileUploadBegun>("POST", `${pathOf(file)}/uploads`, body);
}

/** Begins an upload of `file`. Throws if the service refuses it or needs no parts. */
export async function opened(file: DailyFile, claims: Record<string, unknown> = {}): Promise<Uploading> {
  const { status, body } = await begin(file, claims);
  if (status !== 200 || body.state !== "uploading") throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** Begins an upload of `file` and sends its parts. */
export async function sent(file: DailyFile, claims: Record<string, unknown> = {}): Promise<Uploading> {
  const begun = await opened(file, claims);
  await sendParts(file, begun);
  return begun;
}

export const sendParts = (file: DailyFile, begun: Uploading) =>
  sendBytes(file.bytes, begun, (step) => pathOf(file) + step);

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

/** Publishes with `ask` as the body. Without `ask`, sends no body, as earlier versions of the command did. */
export const publish = (
  file: DailyFile,
  ask?: { revision?: number; force?: boolean; origin?: "operator" | "builder" },
) => admin<FileSummary>("POST", `${pathOf(file)}/publish`, ask);
export const withdraw = (file: DailyFile, note = "") =>
  admin<FileSummary>("POST", `${pathOf(file)}/withdraw`, { note });

/** Returns the audited actions on a file, oldest first. */
export async function actionsOn({ type, date, name }: DailyFile): Promise<string[]> {
  return (await auditOf(`${type}/${date}/${name}`)).map(({ action }) => action);
}
