/**
 * Parquet files with the API's field names, turned into text by DuckDB on the way in, so that their rows pass
 * the same checks as any other layout's. A line number of such a file is the row number plus one.
 */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { layoutOfHeader } from "../layouts/registry.ts";
import { diskFile } from "./folder.ts";
import { DeliveryError, type SourceFile } from "./source-file.ts";

/** `file` as tab-separated text below `workFolder`; `null` when its columns are not the API's. */
export async function plainParquetAsText(file: SourceFile, workFolder: string): Promise<SourceFile | null> {
  if (file.place === null) {
    throw new DeliveryError(`${file.path}: Parquet files are not read inside archives; unpack it first`);
  }
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "2GB" });
  const connection = await instance.connect();
  try {
    const source = `read_parquet(${literal(file.place)})`;
    const described = await connection.runAndReadAll(`describe select * from ${source}`);
    const columns = described.getRowObjects().map(({ column_name }) => String(column_name));
    if (layoutOfHeader(columns)?.name !== "plain") return null;
    const folder = join(workFolder, "text");
    await mkdir(folder, { recursive: true });
    const place = join(folder, `${basename(file.path)}-${file.sizeBytes}.tsv`);
    // DuckDB prints doubles as the shortest text that reads back, so a price becomes the text it was meant to be.
    const texts = columns.map((name) => `${asText(name)} as ${identifier(name)}`);
    await connection.run(
      `copy (select ${texts.join(", ")} from ${source}) to ${literal(place)} (format csv, delimiter '\\t', header)`,
    );
    return { ...(await diskFile(place, file.path)), delivered: file.delivered };
  } catch (error) {
    throw new DeliveryError(
      `${file.path} cannot be read: ${error instanceof Error ? error.message : error}`,
      {
        cause: error,
      },
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A column as text without what would break a line; nothing for an empty text, which would be written in quotes. */
function asText(name: string): string {
  return `nullif(regexp_replace(${identifier(name)}::varchar, '[\\t\\r\\n"]', ' ', 'g'), '')`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
