/** The two files that the service itself writes into a share (contract 8.5): the manifest and the sums. */
import { createHash } from "node:crypto";
import type { CoveredFile } from "../catalog/files.ts";
import type { Share } from "../catalog/shares.ts";
import { pathOf } from "./drive-path.ts";
import { newestMs } from "./folder.ts";

export interface GeneratedText {
  bytes: Uint8Array;
  /** Strong, with its quotes. */
  etag: string;
  /** When the newest file in it was published. A withdrawal does not show in it, so nothing is decided by it. */
  lastModifiedMs: number;
}

/** `manifest.json`: the very files that `file_count` counts. */
export function manifestOf(
  { dataType, year }: Pick<Share, "dataType" | "year">,
  files: readonly CoveredFile[],
): GeneratedText {
  const manifest = {
    data_type: dataType,
    year,
    files: files.map((file) => ({
      path: pathOf(file),
      tradedate: file.tradedate,
      size_bytes: file.sizeBytes,
      sha256: file.sha256,
      revision: file.revision,
      ...(file.buildId === null ? {} : { build_id: file.buildId }),
    })),
  };
  return generated(`${JSON.stringify(manifest, null, 1)}\n`, files);
}

/** `SHA256SUMS` as `sha256sum --check` reads it at the share's root. */
export function sumsOf(files: readonly CoveredFile[]): GeneratedText {
  return generated(files.map((file) => `${file.sha256}  ${pathOf(file)}\n`).join(""), files);
}

function generated(text: string, files: readonly CoveredFile[]): GeneratedText {
  const bytes = new TextEncoder().encode(text);
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
  return { bytes, etag, lastModifiedMs: newestMs(files) };
}
