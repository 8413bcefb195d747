/** Reads the beginning of a data file: byte order mark and header line. */

const LF = 10;
const CR = 13;

export interface FileHead {
  byteOrderMark: boolean;
  /** Names of the columns without surrounding blanks and quotation marks; empty for an empty file. */
  columns: string[];
  /** Whether the header line has NUL bytes. */
  hasNul: boolean;
  lineEnd: "CRLF" | "LF" | "none";
  /** The position after the byte order mark. */
  headerFrom: number;
  /** The position after the header line. */
  bodyFrom: number;
}

/** Reads the header line at the beginning of `bytes`, in UTF-8 or GB18030. */
export function readHead(bytes: Uint8Array, delimiter: "," | "\t" = ","): FileHead {
  const byteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const headerFrom = byteOrderMark ? 3 : 0;
  const lineFeed = bytes.indexOf(LF, headerFrom);
  const lineTo = lineFeed < 0 ? bytes.length : lineFeed;
  const lineEnd = lineFeed < 0 ? "none" : bytes[lineFeed - 1] === CR ? "CRLF" : "LF";
  const header = bytes.subarray(headerFrom, lineTo);
  const columns = decodeText(header).split(delimiter).map(bare);
  while (columns.length > 0 && columns.at(-1) === "") columns.pop();
  const bodyFrom = lineFeed < 0 ? bytes.length : lineFeed + 1;
  return { byteOrderMark, columns, hasNul: header.includes(0), lineEnd, headerFrom, bodyFrom };
}

function bare(cell: string): string {
  return cell.replace(/^[\s\0]*"?|"?[\s\0]*$/g, "");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const gb18030 = new TextDecoder("gb18030");

/** Decodes `bytes` as UTF-8 if they are valid, else as GB18030 (which includes GBK and GB2312). */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return gb18030.decode(bytes);
  }
}
