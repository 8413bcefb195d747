/** Opens a day pack on disk. */
import { ok, type Result, refused } from "../base/result.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { PackFormatError } from "../packs/errors.ts";
import { type LocatedIndex, locateIndex } from "../packs/locate.ts";
import { BUILDER_VERSION } from "../packs/origin.ts";
import { type LocalFile, type LocalFileDenial, openLocalFile } from "./local-file.ts";

export interface PackFile extends LocalFile, LocatedIndex {}

/** Why a file is refused: it cannot be read, or it is not a pack. `difference` says how it differs from a pack. */
export type PackFileDenial = LocalFileDenial | { reason: "not_a_pack"; difference: string };

/** Returns what is wrong with a refused file: the system's error code, or how the file differs from a pack. */
export function differenceIn(refusal: LocalFileDenial | { difference: string }): string {
  return "difference" in refusal ? refusal.difference : refusal.code;
}

/** Returns the file name of a pack. */
export function packName(dataset: DatasetName, tradedate: BeijingDate): string {
  return `${tradedate}${DATASETS[dataset].fileSuffix}.parquet`;
}

/**
 * Opens the pack at `path` and reads its index. The pack must be of one of the `datasets`, which default to orders. The
 * caller closes the pack.
 */
export async function openPackFile(
  path: string,
  datasets?: readonly DatasetName[],
): Promise<Result<PackFile, PackFileDenial>> {
  const opened = await openLocalFile(path);
  if (!opened.ok) return opened;
  const file = opened.value;
  try {
    return ok({ ...file, ...(await locateIndex(file.sizeBytes, file.read, datasets)) });
  } catch (error) {
    await file.close();
    if (error instanceof PackFormatError) return refused({ reason: "not_a_pack", difference: error.message });
    throw error;
  }
}

/**
 * Returns whether this version of the builder wrote the pack. Another version may read the same delivery differently.
 */
export function isOfThisBuilder({ index }: PackFile): boolean {
  return index.origin?.builderVersion === BUILDER_VERSION;
}
