/** Checks a daily file on disk before its upload. The service checks only the footer; here every page is decoded. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { auctionProblem } from "../packs/auction-file.ts";
import { parquetProblem } from "../packs/parquet-footer.ts";
import { parquetAt, withDuckDB } from "./duckdb.ts";
import type { LocalFile } from "./local-file.ts";

/** Matches the names of files whose content must be Parquet. */
const PARQUET_NAME = /\.parquet$/i;

/** The data type, day and name under which shares show a file. */
export interface DailyPlace {
  dataType: "auction_tick" | "level2";
  tradedate: BeijingDate;
  name: string;
}

/**
 * Returns, as a clause, why `file` (opened from `path`) cannot be shared at the intended place; `null` when it can. An
 * auction pack and every file named `….parquet` must be Parquet with decodable pages. Other files can contain anything,
 * but must not be empty.
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
 * Decodes all values of the Parquet file at `path`. Returns a clause if that fails, else `null`. DuckDB's own message
 * is not returned, because it can quote a value.
 */
function decodingProblem(path: string): Promise<string | null> {
  return withDuckDB(async (connection) => {
    try {
      const result = await connection.stream(`select * from ${parquetAt(path)}`);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return null;
      }
    } catch {
      return "some of its pages cannot be decoded";
    }
  });
}
