/** A day pack on disk: what must be known of it before it is sent anywhere. */
import type { DatasetName } from "../datasets/registry.ts";
import { PackFormatError } from "../packs/errors.ts";
import { type LocatedIndex, locateIndex } from "../packs/locate.ts";
import { type LocalFile, type LocalFileDenial, openLocalFile } from "./local-file.ts";

export interface PackFile extends LocalFile, LocatedIndex {}

/** Why a file is not taken: it cannot be read, or it is `not_a_pack`, with what is wrong with it. */
export type PackFileDenial = LocalFileDenial | { reason: "not_a_pack"; difference: string };

/** Opens the pack at `path`, of one of the `datasets`, and reads its index. The caller closes it. */
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
