/**
 * The file of a backup: a line that says what it is, a line for each row as `{"<table>": [values]}`, and a line
 * with the numbers of rows and the SHA-256 of all bytes before it, without which it was cut short. Ends in
 * `.gz`: packed.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip, createGzip } from "node:zlib";
import * as z from "zod";
import type { BackupValue } from "../../admin/wire.ts";
import { CommandFailure } from "../exit.ts";

const FORMAT = 1;

const headSchema = z.object({
  edgetape_backup: z.literal(FORMAT),
  /** RFC 3339 in Beijing time. */
  at: z.string(),
  /** The service's address and version. */
  service: z.string(),
  version: z.string(),
  tables: z.record(z.string(), z.array(z.string())),
});
export type BackupHead = z.infer<typeof headSchema>;

const endSchema = z.object({
  end: z.literal(true),
  rows: z.record(z.string(), z.number()),
  sha256: z.string(),
});
export type BackupEnd = z.infer<typeof endSchema>;

export interface BackupRow {
  table: string;
  values: BackupValue[];
}

/** Writes a backup to `path`, which has its name only when it is whole and on the disk; readable by its owner only. */
export async function writeBackup(
  path: string,
  head: Omit<BackupHead, "edgetape_backup">,
  rows: AsyncIterable<BackupRow>,
): Promise<BackupEnd> {
  const partial = `${path}.partial`;
  const hash = createHash("sha256");
  const counts: Record<string, number> = Object.fromEntries(
    Object.keys(head.tables).map((name) => [name, 0]),
  );
  let end: BackupEnd | undefined;
  async function* lines() {
    const line = (value: unknown) => `${JSON.stringify(value)}\n`;
    const counted = (text: string) => {
      hash.update(text);
      return text;
    };
    yield counted(line({ edgetape_backup: FORMAT, ...head }));
    for await (const { table, values } of rows) {
      counts[table] = (counts[table] ?? 0) + 1;
      yield counted(line({ [table]: values }));
    }
    end = { end: true, rows: counts, sha256: hash.digest("hex") };
    yield line(end);
  }
  try {
    const packed = path.endsWith(".gz") ? createGzip() : new PassThrough();
    await pipeline(lines, packed, createWriteStream(partial, { mode: 0o600 }));
    const file = await open(partial, "r");
    await file.sync();
    await file.close();
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  if (end === undefined) throw new Error("the backup has no end");
  return end;
}

/** A backup that was read to its end once and is whole. */
export interface WholeBackup {
  head: BackupHead;
  end: BackupEnd;
  /** Reads the rows again, in the file's order. */
  rows(): AsyncGenerator<BackupRow>;
}

/** Opens the backup at `path`; one that is cut short or was changed ends the command with a sentence. */
export async function openBackup(path: string): Promise<WholeBackup> {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let head: BackupHead | undefined;
  let last: string | undefined;
  for await (const line of linesOf(path)) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      if (head === undefined) head = headOf(path, last);
      else {
        const { table } = rowOf(path, last);
        counts[table] = (counts[table] ?? 0) + 1;
      }
    }
    last = line;
  }
  const end = endSchema.safeParse(jsonOf(last ?? "")).data;
  if (head === undefined || end === undefined) throw notWhole(path, "it is cut short, or no backup at all");
  if (end.sha256 !== hash.digest("hex")) throw notWhole(path, "its bytes are not those that were written");
  for (const [table, rows] of Object.entries(end.rows)) {
    if (rows !== (counts[table] ?? 0)) throw notWhole(path, `it has not all of its ${table}`);
  }
  const { tables } = head;
  return {
    head,
    end,
    async *rows() {
      for await (const line of linesOf(path)) {
        const [name] = Object.keys(jsonOf(line) ?? {});
        if (name !== undefined && name in tables) yield rowOf(path, line);
      }
    },
  };
}

function headOf(path: string, line: string): BackupHead {
  const head = headSchema.safeParse(jsonOf(line)).data;
  if (head === undefined) throw notWhole(path, "its first line is not that of a backup this command knows");
  return head;
}

function rowOf(path: string, line: string): BackupRow {
  const [entry] = Object.entries(jsonOf(line) ?? {});
  const [table, values] = entry ?? [];
  if (table === undefined || !Array.isArray(values)) throw notWhole(path, "a line of it is no row");
  return { table, values: values as BackupValue[] };
}

function notWhole(path: string, why: string): CommandFailure {
  return new CommandFailure(`${path} is not a whole backup: ${why}.`);
}

/** The lines of a file, ended by LF alone: Node's own reader also ends them at letters that JSON has inside. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const source = createReadStream(path);
  const bytes = path.endsWith(".gz") ? source.pipe(createGunzip()) : source;
  source.on("error", (error) => bytes.destroy(error));
  const decoder = new StringDecoder("utf8");
  let rest = "";
  try {
    for await (const piece of bytes) {
      const lines = (rest + decoder.write(piece as Buffer)).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException);
  } finally {
    source.destroy();
  }
  if (rest !== "") yield rest;
}

function unreadable(path: string, error: NodeJS.ErrnoException): Error {
  // What the reader of the lines itself throws comes by here too.
  if (error instanceof CommandFailure) return error;
  const { code, message } = error;
  if (code?.startsWith("Z_")) return notWhole(path, `it cannot be unpacked (${message})`);
  return new CommandFailure(`${path} cannot be read (${code ?? message}).`);
}

function jsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
