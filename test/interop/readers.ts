/** Third-party Parquet readers, each as a function from a file to its rows. */
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import pl from "nodejs-polars";
import * as parquetWasm from "parquet-wasm/node";
import type { Row } from "../support/builders.ts";
import { PYTHON } from "../support/python.ts";

export interface Reader {
  /** The name of the reader with its version. */
  name: string;
  /** Returns the column names and all rows, with 64-bit integers as numbers. Throws if the reader refuses the file. */
  read(path: string): Promise<{ names: string[]; rows: Row[] }>;
}

const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
const fromObjects = (objects: Record<string, unknown>[]) => ({
  names: Object.keys(objects[0] ?? {}),
  rows: objects.map((object) => Object.values(object).map(plain)) as Row[],
});

function version(name: string): string {
  const manifest = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as {
    version: string;
  };
  return `${name} ${manifest.version}`;
}

const duckdb: Reader = {
  name: version("@duckdb/node-api"),
  async read(path) {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    try {
      const result = await connection.runAndReadAll(`select * from read_parquet('${path}')`);
      return { names: result.columnNames(), rows: result.getRows().map((row) => row.map(plain)) as Row[] };
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  },
};

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

const hyparquet: Reader = {
  name: version("hyparquet"),
  async read(path) {
    const file = new Uint8Array(readFileSync(path)).buffer;
    return fromObjects(await parquetReadObjects({ file, compressors }));
  },
};

/** Reads only the needed ranges of the file, as hyparquet does for a URL. */
const hyparquetFromFile: Reader = {
  name: `${version("hyparquet")} from a file`,
  async read(path) {
    return fromObjects(await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors }));
  },
};

const wasm: Reader = {
  name: version("parquet-wasm"),
  async read(path) {
    const table = tableFromIPC(parquetWasm.readParquet(new Uint8Array(readFileSync(path))).intoIPCStream());
    const names = table.schema.fields.map(({ name }) => name);
    const columns = names.map((name) => [...(table.getChild(name) ?? [])].map(plain));
    const rows = Array.from({ length: table.numRows }, (_, row) => columns.map((column) => column[row]));
    return { names, rows: rows as Row[] };
  },
};

const polars: Reader = {
  name: version("nodejs-polars"),
  async read(path) {
    return fromObjects(pl.readParquet(path).toRecords());
  },
};

/** The Python statements with which each library reads the file at `path` into `names` and `rows`. */
const READING = {
  pyarrow:
    "import pyarrow.parquet as q; t = q.read_table(path); names = t.column_names; rows = list(zip(*[c.to_pylist() for c in t.columns]))",
  pandas:
    "import pandas; t = pandas.read_parquet(path); names = list(t.columns); rows = list(zip(*[t[n].tolist() for n in names]))",
  polars: "import polars; t = polars.read_parquet(path); names = t.columns; rows = t.rows()",
};

function python(library: keyof typeof READING): Reader | undefined {
  // pandas reads Parquet with pyarrow.
  const modules = library === "pandas" ? "pandas, pyarrow" : library;
  const args = `import ${modules}; print(${library}.__version__)`;
  let found: string;
  try {
    found = execFileSync(PYTHON, ["-c", args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
  // Skips the interpreter's shutdown, during which the libraries' threads sometimes abort.
  const program = `import os, sys, json; path = sys.argv[1]; ${READING[library]}; print(json.dumps([names, rows]), flush=True); os._exit(0)`;
  return {
    name: `Python ${library} ${found.trim()}`,
    async read(path) {
      const run = promisify(execFile);
      const { stdout } = await run(PYTHON, ["-c", program, path], { maxBuffer: 256 * 1024 * 1024 });
      const [names, rows] = JSON.parse(stdout) as [string[], Row[]];
      return { names, rows };
    },
  };
}

const pythons = (Object.keys(READING) as (keyof typeof READING)[]).map((name) => ({
  name,
  reader: python(name),
}));

/** All available readers. */
export const READERS: Reader[] = [
  duckdb,
  hyparquet,
  hyparquetFromFile,
  wasm,
  polars,
  ...pythons.flatMap(({ reader }) => reader ?? []),
];

/** Python libraries that are not installed and therefore not tested. */
export const ABSENT: string[] = pythons.flatMap(({ name, reader }) => (reader === undefined ? [name] : []));
