/** Runs the commands of a share's page unchanged, with the password as input, and reads files by ranges. */
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, describe, expect, it } from "vitest";
import { DAY, startDriveWorld } from "../conformance/drive-world.ts";
import { basic, onDrive } from "../support/drive.ts";
import { pythonWith } from "../support/python.ts";
import { testFolder } from "../support/test-folder.ts";
import { isMissing, mustRun } from "../support/tools.ts";

const folder = testFolder("edgetape-tools-");
const world = await startDriveWorld();
afterAll(() => world.stop());

/** Returns whether `tool`, or another tool that every test here needs, is missing. */
const lacks = (tool: string) => [tool, "curl", "sha256sum"].some((each) => isMissing(each));

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Returns the command of a tool as copied from the page. */
async function commandOf(tool: string): Promise<string> {
  const { text } = await onDrive(world.share, "");
  const [, escaped] = new RegExp(`<pre id="command-${tool}">([\\s\\S]*?)</pre>`).exec(text) ?? [];
  if (escaped === undefined) throw new Error(`the page shows no command of ${tool}`);
  // A `<wbr>` marks a position where the line may break, and is not part of the command.
  return escaped
    .replaceAll(/<wbr ?\/?>/g, "")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name] ?? "");
}

/** Runs the page's command in a new empty folder and returns the path of the downloaded share. */
async function fetchWith(tool: string): Promise<string> {
  const cwd = await mkdtemp(join(folder, `${tool}-`));
  const input = `${world.share.password}\n`;
  await mustRun("bash", ["-c", await commandOf(tool)], { cwd, input });
  return join(cwd, "level2-2026");
}

/** Asserts that the downloaded folder has exactly the files of the share, with correct checksums. */
async function expectWholeShare(at: string): Promise<void> {
  const sums = (await onDrive(world.share, "SHA256SUMS")).text;
  await mustRun("sha256sum", ["--check", "--quiet", "-"], { cwd: at, input: sums });
  const check = `set -o pipefail; ${await commandOf("check")}`;
  await mustRun("bash", ["-c", check], { cwd: at, input: `${world.share.password}\n` });
  const names = await readdir(at, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ name }) => name);
  const known = [...sums.matchAll(/\/(\S+)$/gm)].map(([, name]) => name);
  expect(files.filter((name) => !["SHA256SUMS", "manifest.json"].includes(name)).sort()).toEqual(
    known.sort(),
  );
}

describe.skipIf(lacks("wget"))("the wget command shown on the share's page", () => {
  it("mirrors the share, and a second run downloads nothing", async () => {
    const at = await fetchWith("wget");
    await expectWholeShare(at);
    const before = world.service.logs.length;
    const input = `${world.share.password}\n`;
    await mustRun("bash", ["-c", await commandOf("wget")], { cwd: join(at, ".."), input });
    const lines = world.service.logs.slice(before).filter((line) => line.includes('"bytes"'));
    expect(lines).toEqual([]);
    await expectWholeShare(at);
  });
});

describe.each(["aria2c", "rclone"])("the %s command shown on the share's page", (tool) => {
  it.skipIf(lacks(tool))("downloads every file of the share with the correct checksum", async () => {
    const at = await fetchWith(tool);
    await expectWholeShare(at);
    if (tool === "rclone")
      expect(JSON.parse(await readFile(join(at, "manifest.json"), "utf8"))).toMatchObject({ year: 2026 });
  });
});

const pandas = pythonWith("pandas", "pyarrow");
const duckdb = pythonWith("duckdb");

describe.skipIf(pandas === null)("the pandas program shown on the share's page", () => {
  it("reads the newest Parquet file", async () => {
    const lines = `${await commandOf("pandas")}\nprint(frame.shape)`;
    const output = await mustRun(pandas ?? "", ["-c", lines], { input: `${world.share.password}\n` });
    const rows = world.main.securities.reduce((sum, { orders }) => sum + orders.length, 0);
    expect(output).toContain(`(${rows}, 10)`);
  });
});

describe.skipIf(duckdb === null)("the DuckDB program shown on the share's page", () => {
  // Reading over HTTP needs an extension from DuckDB's servers, so the test only runs the lines that create the secret.
  it("creates a secret for the share's URL", async () => {
    const lines = (await commandOf("duckdb")).replace(
      /\nprint.*$/,
      "\nprint(duckdb.sql('FROM duckdb_secrets()'))",
    );
    const output = await mustRun(duckdb ?? "", ["-c", lines], { input: `${world.share.password}\n` });
    expect(output).toContain(world.share.url.slice(0, 20));
  });
});

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

/** Returns a file of the share for hyparquet, which reads it by ranges over HTTP. */
function open(path: string) {
  const { url, shareId, password } = world.share;
  return asyncBufferFromUrl({ url: url + path, requestInit: { headers: basic(shareId, password) } });
}

describe("hyparquet's asyncBufferFromUrl", () => {
  it("reads the rows of the day's pack by ranges", async () => {
    const before = world.service.logs.length;
    const file = await open(`${DAY}/${DAY}_orders.parquet`);
    const metadata = await parquetMetadataAsync(file);
    expect(metadata.row_groups.length).toBeGreaterThan(5);
    const rows = await parquetReadObjects({ file, metadata, compressors });
    expect(rows).toHaveLength(world.main.securities.reduce((sum, { orders }) => sum + orders.length, 0));
    const maotai = rows.filter(({ symbol }) => symbol === "600519");
    expect(maotai.map(({ time, volume }) => [time, Number(volume)])).toEqual(
      world.main.rowsOf("600519").map((row) => [row[2], row[8]]),
    );
    const parts = world.service.logs.slice(before).filter((line) => line.includes('"status":206'));
    expect(parts.length).toBeGreaterThan(0);
  });

  it("reads a security's file from the folder by-symbol", async () => {
    const file = await open(`${DAY}/by-symbol/600519.SH.parquet`);
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows).toHaveLength(world.main.rowsOf("600519").length);
    expect(new Set(rows.map(({ symbol }) => symbol))).toEqual(new Set(["600519"]));
  });

  it("is refused without the password", async () => {
    await expect(
      asyncBufferFromUrl({ url: `${world.share.url}${DAY}/${DAY}_orders.parquet` }),
    ).rejects.toThrow("401");
  });
});
