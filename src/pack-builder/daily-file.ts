/** Checks a daily file on disk before its upload. The service checks only the footer; here every page is decoded. */
import { DuckDBInstance } from "@duckdb/node-api";
import type { BeijingDate } from "../calendar/beijing.ts";
import { auctionProblem } from "../packs/auction-file.ts";
import { parquetProblem } from "../packs/parquet-footer.ts";
import type { LocalFile } from "./local-file.ts";

/** Whether a file must be Parquet because of its name. */
const PARQUET_NAME = /\.parquet$/i;

/** The intended place of a file in shares. */
export interface DailyPlace {
  dataType: "auction_tick" | "level2";
  tradedate: BeijingDate;
  name: string;
}

/**
 * Returns why `file`, opened from `path`, cannot be shared at `place`, as a clause; null when it can. An auction pack
 * and every file named `….parquet` must be Parquet with decodable pages. Other files can contain anything.
 */
export async function dailyFileProblem(
  path: string,
  file: LocalFile,
  { dataType, tradedate, name }: DailyPlace,
): Promise<string | null> {
  if (file.sizeBytes === 0) return "it is empty";
  const isAuction = dataType === "auction_tick";
  if (!isAuction && !PARQUET_NAME.test(name)) return null;
  const problem = isAuction
    ? await auctionProblem(file.sizeBytes, file.read, tradedate)
    : await parquetProblem(file.sizeBytes, file.read);
  return problem ?? decodingProblem(path);
}

/**
 * Reads all values of the Parquet file at `path`. The reader's own message can quote a value, so it is not passed on.
 */
async function decodingProblem(path: string): Promise<string | null> {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "2GB" });
  const connection = await instance.connect();
  try {
    const pattern = path.replaceAll(/[*?[]/g, "[$&]").replaceAll("'", "''");
    const result = await connection.stream(`select * from read_parquet('${pattern}')`);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return null;
    }
  } catch {
    return "not every page of it can be decoded";
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
