/** What the tests of the share drive need: files that are published, shares that are asked for, requests to them. */
import { createHash } from "node:crypto";
import { type FileUploadBegun, PART_SHA256_HEADER } from "../../src/admin/wire.ts";
import { type Answer, call } from "./http-client.ts";
import { asOperator } from "./operator.ts";
import type { Service } from "./service.ts";

/** One of the operator's daily files. */
export interface DriveFile {
  type: "auction_tick" | "level2";
  date: string;
  name: string;
  bytes: Uint8Array;
}

/** The share of a `file_download` answer (spec 2.3), with its id. */
export interface TestShare {
  shareId: string;
  /** With its slash. */
  url: string;
  password: string;
  start_date: string;
  end_date: string;
  file_count: number;
  size_bytes: number;
  expires_at: string;
}

/** SHA-256 as 64 hex digits. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A level2 file of an operator's own, named after its day. */
export function tradesFile(date: string, bytes: Uint8Array, name = `${date}_trades.zip`): DriveFile {
  return { type: "level2", date, name, bytes };
}

/** Adds and publishes a file as the operator's command does; the same place again is a new revision. */
export async function publishFile(service: Service, file: DriveFile): Promise<void> {
  const path = `/admin/files/${file.type}/${file.date}/${file.name}`;
  const claims = { sizeBytes: file.bytes.length, sha256: sha256(file.bytes) };
  const begun = await asOperator<FileUploadBegun>(service, "POST", `${path}/uploads`, claims);
  if (begun.state === "uploading") {
    const uploads = `${path}/uploads/${begun.uploadId}`;
    for (let n = 1; n <= begun.partCount; n++) {
      const part = file.bytes.subarray((n - 1) * begun.partSizeBytes, n * begun.partSizeBytes);
      await asOperator(service, "PUT", `${uploads}/parts/${n}`, part, { [PART_SHA256_HEADER]: sha256(part) });
    }
    await asOperator(service, "POST", `${uploads}/complete`);
  }
  await asOperator(service, "POST", `${path}/publish`);
}

/** Takes a file out of all shares. */
export async function withdrawFile(service: Service, file: Omit<DriveFile, "bytes">): Promise<void> {
  const path = `/admin/files/${file.type}/${file.date}/${file.name}`;
  await asOperator(service, "POST", `${path}/withdraw`, { note: "a test" });
}

/** Asks `file_download` for a share; throws with the whole answer when there is none. */
export async function shareOf(
  service: Service,
  apikey: string,
  data_type: DriveFile["type"] = "level2",
  year = 2026,
): Promise<TestShare> {
  const answer = await service.post({ apiname: "file_download", apikey, params: { data_type, year } });
  const inner = answer.envelope.data as { data: Omit<TestShare, "shareId"> } | null;
  if (inner === null) throw new Error(`no share but HTTP ${answer.status} ${answer.text}`);
  const shareId = inner.data.url.split("/").at(-2) ?? "";
  return { ...inner.data, shareId };
}

/** The `Authorization` header of a user and a password. */
export function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

export interface DriveCall {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request to a path of the share, with its password; `GET` unless said otherwise. */
export function onDrive(share: TestShare, path: string, options: DriveCall = {}): Promise<Answer> {
  const headers = { ...basic(share.shareId, share.password), ...options.headers };
  return call(share.url + path, { method: "GET", ...options, headers });
}
