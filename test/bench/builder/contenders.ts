/**
 * The contenders of the builder bench: our builder, DuckDB, and a task that only reads the files, as a lower bound.
 * DuckDB is given the layout of the files and the order of the rows.
 */
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { buildPack } from "../../../src/pack-builder/build.ts";
import { duckdbConnection } from "../rivals/duckdb.ts";

export interface TaskOf {
  /** The folders of the delivery. */
  sources: readonly string[];
  tradedate: BeijingDate;
  /** The output folder. */
  out: string;
}

export type Task<Result> = (of: TaskOf) => Promise<Result>;

/** Builds the pack of a delivery and returns its path, or null when the build leaves no file. */
type Contender = Task<string | null>;

const ours =
  (verify: boolean): Contender =>
  async ({ sources, tradedate, out }) => {
    const report = await buildPack({
      ...{ sources, tradedate, outFolder: out, maxBroken: 0, verify },
      threads: availableParallelism(),
      onProgress: () => {},
    });
    if (report.pack === null) throw new Error("no pack was built");
    return report.pack;
  };

/**
 * Builds the file with DuckDB. Rows of the same millisecond keep the order of the CSV file, so the position in that
 * file is a sort key too.
 */
const duckdb: Contender = async ({ sources: [folder = ""], out }) => {
  const path = join(out, "duckdb.parquet");
  const connection = await duckdbConnection();
  await connection.run(`COPY (
    SELECT printf('%06d', code) AS symbol, tradedate, printf('%09d', time) AS time, order_id, exchange_order_id,
      coalesce(trim(order_type), '') AS order_type, coalesce(trim(order_code), '') AS order_code,
      price / 10000 AS price, volume, (price * volume) / 10000 AS amount
    FROM (
      SELECT *, row_number() OVER () AS place
      FROM read_csv('${folder}/*/*/*.csv', header = false, skip = 1, encoding = 'latin-1', delim = ',', quote = '',
        escape = '', auto_detect = false, columns = {
          'security': 'VARCHAR', 'code': 'BIGINT', 'tradedate': 'VARCHAR', 'time': 'BIGINT', 'order_id': 'BIGINT',
          'exchange_order_id': 'BIGINT', 'order_type': 'VARCHAR', 'order_code': 'VARCHAR', 'price': 'BIGINT',
          'volume': 'BIGINT', 'after_last_comma': 'VARCHAR' }))
    ORDER BY security, time, place
  ) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10000)`);
  connection.closeSync();
  return path;
};

const readOnly: Contender = async ({ sources: [folder = ""] }) => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of files) if (file.isFile()) await readFile(join(file.parentPath, file.name));
  return null;
};

/** The programs that the benchmark compares, keyed by their names in its results. */
export const CONTENDERS: ReadonlyMap<string, Contender> = new Map([
  ["edgetape, pack read back and compared", ours(true)],
  ["edgetape, not read back", ours(false)],
  ["DuckDB, read_csv, ORDER BY, COPY", duckdb],
  ["floor: reading the files", readOnly],
]);
