/**
 * Reads operators' text files. Chinese spreadsheet programs save CSV as GBK. Decoding GBK leniently as UTF-8 would turn
 * names into replacement characters, so that two customers could get the same name.
 */
import { readFile } from "node:fs/promises";
import { CommandFailure } from "./exit.ts";

const LINE_FEED = 0x0a;

/**
 * Reads the text file at `path`: UTF-8 (a byte order mark is skipped) or GB18030, with any line ends. Throws
 * `CommandFailure` for anything else.
 */
export async function readOperatorText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${path} cannot be read (${error.code}).`);
  });
  return decodeOperatorText(bytes, path);
}

/**
 * Decodes `bytes` as UTF-8 if valid, otherwise as GB18030 if valid. In a text without LF, every CR becomes LF, because
 * spreadsheets on a Mac can end lines with CR.
 *
 * Throws `CommandFailure` with `name` and the line if the bytes are valid in neither encoding or the file mixes both.
 * Also throws if the text contains U+FFFD (it was decoded wrongly earlier) or U+0000 (the file is probably UTF-16).
 */
export function decodeOperatorText(bytes: Uint8Array, name: string): string {
  const utf8 = decoded(bytes, "utf-8");
  const text = utf8 ?? decoded(bytes, "gb18030");
  if (text === null) throw refusal(name, firstLine(bytes, isNeither), "it is neither UTF-8 nor GB18030");
  const mixed = utf8 === null ? firstLine(bytes, isChineseUtf8) : null;
  if (mixed !== null) throw refusal(name, mixed, "this line is UTF-8 and others are not");
  const lost = text.search(/[\0\uFFFD]/);
  if (lost < 0) return text.includes("\n") ? text : text.replaceAll("\r", "\n");
  const line = text.slice(0, lost).split("\n").length;
  const problem =
    text[lost] === "\0"
      ? "it contains NUL characters, as UTF-16 files do"
      : "it contains replacement characters (U+FFFD) from an earlier wrong conversion";
  throw refusal(name, line, problem);
}

function refusal(name: string, line: number | null, problem: string): CommandFailure {
  const place = line === null ? name : `${name}:${line}`;
  return new CommandFailure(
    `${place}: ${problem}. Save the file as UTF-8 and try again; nothing was changed.`,
  );
}

function decoded(bytes: Uint8Array, encoding: "utf-8" | "gb18030"): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

function isNeither(line: Uint8Array): boolean {
  return decoded(line, "utf-8") === null && decoded(line, "gb18030") === null;
}

function isChineseUtf8(line: Uint8Array): boolean {
  return /\p{Script=Han}/u.test(decoded(line, "utf-8") ?? "");
}

/**
 * Returns the number (from 1) of the first line for which `test` returns true, or null. Lines end at 0x0A, which is
 * never part of another character in either encoding.
 */
function firstLine(bytes: Uint8Array, test: (line: Uint8Array) => boolean): number | null {
  for (let at = 0, line = 1; at < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, at);
    const next = end < 0 ? bytes.length : end + 1;
    if (test(bytes.subarray(at, next))) return line;
    at = next;
  }
  return null;
}
