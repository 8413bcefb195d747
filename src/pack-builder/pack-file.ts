/** Opens a day pack on disk. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { PackFormatError } from "../packs/errors.ts";
import { type LocatedIndex, locateIndex } from "../packs/locate.ts";
import { type LocalFile, type LocalFileDenial, openLocalFile } from "./local-file.ts";

export interface PackFile extends LocalFile, LocatedIndex {}

/** Why a file is refused: it cannot be read, or it is `not_a_pack`, with the difference. */
export type PackFileDenial = LocalFileDenial | { reason: "not_a_pack"; difference: string };

/** Returns the file name of a pack. */
export function packName(dataset: DatasetName, tradedate: BeijingDate): string {
  return `${tradedate}${DATASETS[dataset].fileSuffix}.parquet`;
}

/** Opens the pack at `path`, which must be of one of the `datasets`, and reads its index. The caller closes it. */
export async function openPackFile(
  path: string,
  datasets?: readonly DatasetName[],
): Promise<PackFile | PackFileDenial> {
  const file = await openLocalFile(path);
  if ("reason" in file) return file;
  try {
    return { ...file, ...(await locateIndex(file.sizeBytes, file.read, datasets)) };
  } catch (error) {
    await file.close();
    if (error instanceof PackFormatError) return { reason: "not_a_pack", difference: error.message };
    throw error;
  }
}
