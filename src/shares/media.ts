/** What kind of file a name says it is, and how a browser is told to save it. */

const TYPES: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  zip: "application/zip",
  gz: "application/gzip",
  zst: "application/zstd",
  "7z": "application/x-7z-compressed",
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
};

/** The media type of a file by its ending; `SHA256SUMS` is plain text. */
export function contentTypeOf(name: string): string {
  if (name === "SHA256SUMS") return "text/plain; charset=utf-8";
  return TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}

/** `Content-Disposition` that saves under `name`, also when it is not ASCII (RFC 6266). */
export function disposition(name: string): string {
  const plain = name.replaceAll(/[^\w. ()+-]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const exact = plain === name ? "" : `; filename*=UTF-8''${encoded}`;
  return `attachment; filename="${plain}"${exact}`;
}
