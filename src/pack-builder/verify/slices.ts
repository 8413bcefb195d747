/**
 * Divides a large pack into smaller Parquet files. DuckDB needs 5 KB of memory for each column chunk of a file, which is
 * 2 GB for the quotes of a whole market.
 */
import { appendFile, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PackFile } from "../pack-file.ts";
import type { CheckedSection, PackBytes } from "./pack-bytes.ts";

/** The maximum number of column chunks in a slice of several sections. */
const MOST_CHUNKS = 10_000;
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * Yields the paths of Parquet files that together contain the rows of `pack` in order: the pack itself, or slices of
 * consecutive sections. All slices have the same path in the folder `scratch`, or in a temporary folder: each
 * overwrites the one before. `bytes` has checked the pack and derives the footer of a slice from the checked sections.
 */
export async function* slicesOf(
  path: string,
  pack: PackFile,
  bytes: PackBytes,
  scratch: string | undefined,
  mostChunks = MOST_CHUNKS,
): AsyncGenerator<string> {
  const slices = divided(bytes.sections, mostChunks);
  if (slices.length <= 1) {
    yield path;
    return;
  }
  await using own =
    scratch === undefined ? await mkdtempDisposable(join(tmpdir(), "edgetape-verify-")) : null;
  const slice = join(scratch ?? own?.path ?? "", "slice.parquet");
  for (const sections of slices) {
    await writeFile(slice, piecesOf(pack, sections));
    await appendFile(slice, Buffer.concat([...bytes.footer(sections)]));
    yield slice;
  }
}

/** Divides sections into runs of at most `mostChunks` column chunks. A section with more is a run of its own. */
function divided(sections: readonly CheckedSection[], mostChunks: number): CheckedSection[][] {
  const slices: CheckedSection[][] = [];
  let slice: CheckedSection[] = [];
  let total = 0;
  for (const section of sections) {
    const chunks = section.entry.blocks.length * section.encoded.columns.length;
    if (slice.length === 0 || total + chunks > mostChunks) {
      slice = [];
      slices.push(slice);
      total = 0;
    }
    slice.push(section);
    total += chunks;
  }
  return slices;
}

/** Yields the bytes of consecutive sections. */
async function* piecesOf(pack: PackFile, sections: readonly CheckedSection[]): AsyncGenerator<Uint8Array> {
  const [first, last] = [sections[0]?.entry, sections.at(-1)?.entry];
  const end = last === undefined ? 0 : last.offset + last.length;
  for (let offset = first?.offset ?? 0; offset < end; offset += PIECE_BYTES) {
    yield await pack.read(offset, Math.min(PIECE_BYTES, end - offset));
  }
}
