/** An auction pack on disk, before it is sent anywhere. */
import { zstdProblem } from "../packs/zstd-footer.ts";
import type { LocalFile } from "./local-file.ts";

/** Why `file` is no auction pack as a clause, or null: it is Parquet with rows and ZSTD on every column (spec 4.1). */
export function auctionPackProblem(file: LocalFile): Promise<string | null> {
  return zstdProblem(file.sizeBytes, file.read);
}
