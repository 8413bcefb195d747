/** Uploads daily files as an operator does, and requests shares. */
import { type FileSummary, type FileUploadBegun, PART_SHA256_HEADER } from "../../src/admin/wire.ts";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { AuctionWriter } from "../../src/pack-builder/auction-writer.ts";
import type { Answer } from "./http-client.ts";
import { asOperator, sha256 } from "./operator.ts";
import type { Service } from "./service.ts";

export interface DailyFile {
  type: "auction_tick" | "level2";
  date: string;
  name: string;
  bytes: Uint8Array;
}

/** Returns an auction pack. A different number of `rows` gives different content. */
export function auctionPack(date: string, rows = 5): DailyFile {
  const writer = new AuctionWriter(date as BeijingDate, "0".repeat(32));
  const auction = Array.from({ length: rows }, (_, row) => ({
    row,
    time: 91500000 + 3_000 * row,
    isResult: row === rows - 1,
    priceE4: 14_688_800 + 100 * row,
    preCloseE4: 14_650_000,
    volume: 100 * (row + 1),
    unmatched: 100,
    side: "b" as const,
  }));
  writer.append({ symbol: "600519", market: "SH" }, auction);
  writer.finish();
  return { type: "auction_tick", date, name: `${date}_aucde.parquet`, bytes: writer.take() };
}

/** Returns an operator's own file for level2 shares. */
export function ownFile(date: string, text: string, name = `${date}_trades.csv`): DailyFile {
  return { type: "level2", date, name, bytes: new TextEncoder().encode(text) };
}

const routeOf = ({ type, date, name }: DailyFile) =>
  `/admin/files/${type}/${date}/${encodeURIComponent(name)}`;

/** Uploads a file without publishing it: begins the upload, sends the parts and completes the upload. */
export async function addFile(
  service: Service,
  file: DailyFile,
  origin: FileSummary["origin"] = "operator",
): Promise<FileSummary> {
  const { bytes } = file;
  const uploads = `${routeOf(file)}/uploads`;
  const body = { sizeBytes: bytes.length, sha256: sha256(bytes), origin };
  const begun = await asOperator<FileUploadBegun>(service, "POST", uploads, body);
  if (begun.state === "present") return begun.file;
  for (let n = 1; n <= begun.partCount; n++) {
    const part = bytes.subarray((n - 1) * begun.partSizeBytes, n * begun.partSizeBytes);
    const headers = { [PART_SHA256_HEADER]: sha256(part) };
    await asOperator(service, "PUT", `${uploads}/${begun.uploadId}/parts/${n}`, part, headers);
  }
  return asOperator<FileSummary>(service, "POST", `${uploads}/${begun.uploadId}/complete`);
}

/** Uploads and publishes all `files`. */
export async function publishFiles(service: Service, ...files: DailyFile[]): Promise<void> {
  for (const file of files) {
    await addFile(service, file);
    await asOperator(service, "POST", `${routeOf(file)}/publish`);
  }
}

export async function withdrawFile(service: Service, file: DailyFile): Promise<void> {
  await asOperator(service, "POST", `${routeOf(file)}/withdraw`, {});
}

/** The innermost object of a served `file_download` (contract 8.1). */
export interface ShareFields {
  status: string;
  data_type: string;
  year: number;
  start_date: string;
  end_date: string;
  file_count: number;
  size_bytes: number;
  url: string;
  password: string;
  expires_at: string;
  retry_after: number;
}

/** Sends one `file_download` request. */
export function askShare(service: Service, apikey: string, params: object): Promise<Answer> {
  return service.post({ apiname: "file_download", apikey, params });
}

/** Returns the share of an answer. Throws when the answer is a refusal. */
export function shareIn(answer: Answer): ShareFields {
  const inner = answer.envelope.data as { code: number; message: string; data: ShareFields } | null;
  if (inner === null) throw new Error(answer.text);
  return inner.data;
}
