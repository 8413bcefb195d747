/** Opens DuckDB, which reads Parquet files in the builder, and writes SQL for it. */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

/** Returns what `use` returns for a connection to an empty database in memory, which is closed afterwards. */
export async function withDuckDB<T>(
  use: (connection: DuckDBConnection) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "2GB", ...settings });
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Returns `text` as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns SQL for the rows of the Parquet file at `path`. Without the escapes, DuckDB reads the files that match a path
 * with wildcards. Without the option, it replaces a column by the value in a folder's name such as `symbol=600519`.
 */
export function parquetAt(path: string): string {
  return `read_parquet(${literal(path.replaceAll(/[*?[]/g, "[$&]"))}, hive_partitioning = false)`;
}
