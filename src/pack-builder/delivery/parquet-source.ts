/**
 * Converts Parquet files with the API's field names to text with DuckDB, so that their rows pass the same checks as
 * other layouts. A line number of such a file is the row number plus one.
 */
import type { DatasetName } from "../../datasets/registry.ts";
import { literal, parquetAt, withDuckDB } from "../duckdb.ts";
import { layoutOfHeader } from "../layouts/registry.ts";
import type { WorkFolder } from "../work-folder.ts";
import { copiedOut } from "./compressed.ts";
import { diskFile } from "./folder.ts";
import { DeliveryError, type SourceFile } from "./source-file.ts";

/**
 * Converts `file` to tab-separated text in `work`. If its columns do not match `dataset`, returns only the column
 * names. Throws `DeliveryError` when `file` is not a complete Parquet file.
 */
export async function plainParquetAsText(
  file: SourceFile,
  dataset: DatasetName,
  work: WorkFolder,
): Promise<SourceFile | { columns: string[] }> {
  const onDisk = file.place === null ? await copiedOut(file, work.next(".parquet")) : file;
  return withDuckDB(async (connection) => {
    try {
      // DuckDB opens the file by name, so the file's identity is checked before and after DuckDB reads it.
      await (await onDisk.open()).close();
      const source = parquetAt(onDisk.place ?? "");
      const described = await connection.runAndReadAll(`describe select * from ${source}`);
      const columns = described.getRowObjects().map(({ column_name }) => String(column_name));
      if (layoutOfHeader(columns, dataset)?.name !== "plain") return { columns };
      const place = work.next(".tsv");
      // DuckDB prints doubles as the shortest text that parses to the same double, which is the intended decimal of a
      // price.
      const texts = columns.map((name) => `${asText(name)} as ${identifier(name)}`);
      await connection.run(
        `copy (select ${texts.join(", ")} from ${source}) to ${literal(place)} (format csv, delimiter '\\t', header)`,
      );
      await (await onDisk.open()).close();
      return { ...(await diskFile(place, file.path)), delivered: file.delivered };
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      // This message does not repeat DuckDB's message, which can quote the file's content.
      throw new DeliveryError(`${file.path} cannot be read as a Parquet file; deliver it again`, {
        cause: error,
      });
    }
  });
}

/**
 * Returns SQL that converts a column to text. Tabs, line breaks and quotation marks become blanks. An empty text
 * becomes null, because DuckDB would quote it.
 */
function asText(name: string): string {
  return `nullif(regexp_replace(${identifier(name)}::varchar, '[\\t\\r\\n"]', ' ', 'g'), '')`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
