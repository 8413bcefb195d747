/** Reads the beginning of a data file: byte order mark and header line. */

const LF = 10;
const CR = 13;

export type FileHead = ReturnType<typeof readHead>;

/**
 * Reads the header line at the beginning of `bytes`, in UTF-8 or GB18030. `columns` are the names without surrounding
 * blanks and quotation marks; an empty file has none. `headerFrom` is the position after the byte order mark, `bodyFrom`
 * the position after the header line.
 */
export function readHead(bytes: Uint8Array, delimiter: "," | "\t" = ",") {
  const byteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const headerFrom = byteOrderMark ? 3 : 0;
  const lineFeed = bytes.indexOf(LF, headerFrom);
  const lineTo = lineFeed < 0 ? bytes.length : lineFeed;
  const endsWithLf = lineFeed >= 0 && bytes[lineFeed - 1] !== CR;
  const header = bytes.subarray(headerFrom, lineTo);
  const columns = decodeText(header).split(delimiter).map(bare);
  while (columns.length > 0 && columns.at(-1) === "") columns.pop();
  const bodyFrom = lineFeed < 0 ? bytes.length : lineFeed + 1;
  return { byteOrderMark, columns, hasNul: header.includes(0), endsWithLf, headerFrom, bodyFrom };
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
