/**
 * Reads and writes backup files, which consist of lines of JSON:
 * - a header;
 * - for each page of a table, one line for each row, `{"<table>": [values]}`, then `{"page": {…}}` with the page's
 *   position and seal;
 * - a last line with the row counts and the SHA-256 of all bytes before it. Without it the file is truncated.
 *
 * Files ending in `.gz` are compressed. The first format had no page lines and no seals.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import * as z from "zod";
import * as wire from "../admin/wire.ts";
import { parsedJson } from "../base/json.ts";
import { CommandFailure } from "./exit.ts";

const FORMAT = 2;
const FIRST_FORMAT = 1;

/** The maximum bytes of JSON in a page of the first format. D1 accepts values of up to 2 MB. */
const PAGE_BYTES = 900_000;

const headSchema = z.object({
  edgetape_backup: z.literal([FIRST_FORMAT, FORMAT]),
  /** RFC 3339 in Beijing time. */
  at: z.string(),
  /** The service's URL. */
  service: z.string(),
  /** The service's version. */
  version: z.string(),
  tables: z.record(z.string(), z.array(z.string())),
  /** The backup's identity; absent in the first format. */
  identity: wire.backupIdentitySchema.optional(),
});
type BackupHead = z.infer<typeof headSchema>;

const endSchema = z.object({
  end: z.literal(true),
  rows: z.record(z.string(), z.number()),
  sha256: z.string(),
});

const placeSchema = z.array(z.union([z.string(), z.number(), z.null()]));
/** The line after the rows of a page. */
const pageSchema = z.strictObject({
  table: z.string(),
  after: placeSchema.nullable(),
  next: placeSchema.nullable(),
  seal: wire.backupSealSchema.nullable(),
});

/** A row or the end of a page, from a line between the header and the last line. */
type Part = { table: string; values: wire.BackupValue[] } | z.infer<typeof pageSchema>;

/** Writes a backup, readable by its owner only. It appears at `path` when it is complete and synced. */
export async function writeBackup(
  path: string,
  head: Omit<BackupHead, "edgetape_backup">,
  pages: AsyncIterable<wire.RestoreChunk>,
): Promise<z.infer<typeof endSchema>> {
  const partial = `${path}.partial`;
  const hash = createHash("sha256");
  const counts = Object.fromEntries(Object.keys(head.tables).map((name) => [name, 0]));
  const end = { end: true as const, rows: counts, sha256: "" };
  async function* lines() {
    const counted = (value: unknown) => {
      const line = `${JSON.stringify(value)}\n`;
      hash.update(line);
      return line;
    };
    yield counted({ edgetape_backup: FORMAT, ...head });
    for await (const { rows, ...page } of pages) {
      const { table } = page;
      counts[table] = (counts[table] ?? 0) + rows.length;
      for (const values of rows) yield counted({ [table]: values });
      yield counted({ page });
    }
    end.sha256 = hash.digest("hex");
    yield `${JSON.stringify(end)}\n`;
  }
  try {
    const packed = path.endsWith(".gz") ? createGzip() : new PassThrough();
    await pipeline(lines, packed, createWriteStream(partial, { mode: 0o600, flush: true }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return end;
}

/** A verified, complete backup. Each call of `pages` reads the file again and yields the same pages. */
export type WholeBackup = Awaited<ReturnType<typeof openBackup>>;

/** Opens the backup at `path`. Throws `CommandFailure` when the file is truncated, changed or not a backup. */
export async function openBackup(path: string) {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let head: BackupHead | undefined;
  let last: string | undefined;
  for await (const line of linesOf(path)) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      if (head === undefined) head = headOf(path, last);
      else {
        const part = partOf(path, last);
        if ("values" in part) counts[part.table] = (counts[part.table] ?? 0) + 1;
      }
    }
    last = line;
  }
  const end = endSchema.safeParse(parsedJson(last ?? "")).data;
  if (head === undefined || end === undefined) throw notWhole(path, "it is truncated, or not a backup");
  if (end.sha256 !== hash.digest("hex")) throw notWhole(path, "it was changed after it was written");
  for (const [table, rows] of Object.entries(end.rows)) {
    if (rows !== (counts[table] ?? 0))
      throw notWhole(path, `it has ${counts[table] ?? 0} instead of ${rows} rows of the table ${table}`);
  }
  const { tables, identity } = head;
  const pages = () => (identity === undefined ? pagesBySize : pagesAsSealed)(path, tables);
  return { head, end, pages };
}

/** Yields the page ends, and the rows of the named tables. */
async function* partsOf(path: string, tables: BackupHead["tables"]): AsyncGenerator<Part> {
  for await (const line of linesOf(path)) {
    const [name = ""] = Object.keys(parsedJson(line) ?? {});
    if (name === "page" || name in tables) yield partOf(path, line);
  }
}

/** Yields the pages as the service sealed them. */
async function* pagesAsSealed(path: string, tables: BackupHead["tables"]): AsyncGenerator<wire.RestoreChunk> {
  let rows: wire.BackupValue[][] = [];
  for await (const each of partsOf(path, tables)) {
    if ("values" in each) rows.push(each.values);
    else {
      yield { ...each, rows };
      rows = [];
    }
  }
  if (rows.length > 0) throw notWhole(path, "the end of its last page is missing");
}

/** Yields the pages of a backup in the first format. Each page has rows of one table, up to `PAGE_BYTES`. */
async function* pagesBySize(path: string, tables: BackupHead["tables"]): AsyncGenerator<wire.RestoreChunk> {
  let page: wire.RestoreChunk | undefined;
  let space = 0;
  for await (const each of partsOf(path, tables)) {
    if (!("values" in each)) continue;
    const { table, values } = each;
    const bytes = Buffer.byteLength(JSON.stringify(values)) + 1;
    if (page?.table !== table || bytes > space) {
      if (page !== undefined) yield page;
      page = { table, after: null, next: null, seal: null, rows: [] };
      space = PAGE_BYTES;
    }
    page.rows.push(values);
    space -= bytes;
  }
  if (page !== undefined) yield page;
}

/** Parses a line with a row or a page end. */
function partOf(path: string, line: string): Part {
  const [[name, value] = []] = Object.entries(parsedJson(line) ?? {});
  if (name !== undefined && Array.isArray(value)) return { table: name, values: value };
  if (name !== "page") throw notWhole(path, "a line is not a valid row");
  const page = pageSchema.safeParse(value).data;
  if (page === undefined) throw notWhole(path, "a line is not a valid end of a page");
  return page;
}

function headOf(path: string, line: string): BackupHead {
  const head = headSchema.safeParse(parsedJson(line)).data;
  if (head !== undefined) return head;
  throw notWhole(
    path,
    "its first line is not the head of a backup that this version of the command can read",
  );
}

function notWhole(path: string, why: string): CommandFailure {
  return new CommandFailure(`${path} is not a complete backup: ${why}.`);
}

/**
 * Yields the lines of a file, separated by LF only. Node's line reader is not used, because it also splits at
 * characters that JSON strings can contain.
 */
async function* linesOf(path: string): AsyncGenerator<string> {
  const source = createReadStream(path);
  const text = (path.endsWith(".gz") ? source.pipe(createGunzip()) : source).setEncoding("utf8");
  source.on("error", (error) => text.destroy(error));
  let rest = "";
  try {
    for await (const piece of text) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith("Z_")) throw notWhole(path, `it cannot be decompressed (${message})`);
    throw new CommandFailure(`${path} cannot be read (${code ?? message}).`);
  } finally {
    source.destroy();
  }
  if (rest !== "") yield rest;
}
