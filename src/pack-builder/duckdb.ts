/** SQL for DuckDB, which reads Parquet files in the builder. */

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
