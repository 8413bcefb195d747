import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { RestoreChunk } from "../../../src/admin/wire.ts";
import { openBackup, writeBackup } from "../../../src/cli/backup-file.ts";
import { testFolder } from "../../support/test-folder.ts";

const folder = testFolder("edgetape-backup-");

const head = {
  at: "2026-03-12T10:00:00+08:00",
  service: "https://api.example.com",
  version: "1.0.0",
  tables: { accounts: ["account_id", "note"], plans: ["plan", "requests"] },
};
const page = (table: string, rows: RestoreChunk["rows"]): RestoreChunk => ({
  ...{ table, rows, after: null, next: null, seal: null },
});
const pages = [
  page("accounts", [
    ["客户 1", 'a "note"\nof two lines\u2028'],
    ["b", ""],
  ]),
  page("plans", [
    ["trial", 100],
    ["flagship", null],
  ]),
];

async function* given(): AsyncGenerator<RestoreChunk> {
  yield* pages;
}

const readBack = async (path: string) => Array.fromAsync((await openBackup(path)).pages());

describe("a backup file", () => {
  it.each(["plain.jsonl", "packed.jsonl.gz"])("is read back as it was written: %s", async (name) => {
    const path = join(folder, name);
    const end = await writeBackup(path, head, given());
    expect(end.rows).toEqual({ accounts: 2, plans: 2 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const opened = await openBackup(path);
    expect([opened.head, opened.end]).toEqual([{ edgetape_backup: 2, ...head }, end]);
    expect(await readBack(path)).toEqual(pages);
  });

  it("is either refused or read with the same rows when a byte is changed or missing", async () => {
    const path = join(folder, "corrupt.jsonl");
    await writeBackup(path, head, given());
    const whole = readFileSync(path);
    const refusals = new Set<string>();
    for (let at = 0; at < whole.length; at++) {
      for (const corrupt of [whole.subarray(0, at), flipped(whole, at)]) {
        // The last line is complete even without its line end.
        if (
          corrupt.length === whole.length - 1 ||
          (corrupt.length === whole.length && at === whole.length - 1)
        )
          continue;
        writeFileSync(path, corrupt);
        const refused = await openBackup(path).then(
          () => null,
          (error: Error) => error.message.replace(/^.* is not a complete backup: /, ""),
        );
        if (refused !== null) refusals.add(refused);
        else expect(JSON.stringify(await readBack(path))).toBe(JSON.stringify(pages));
      }
    }
    expect([...refusals]).toContain("it was changed after it was written.");
    expect([...refusals]).toContain("it is truncated, or not a backup.");
  });

  it("is refused when its compression is damaged, when it is truncated, and when it does not exist", async () => {
    const path = join(folder, "bad.jsonl.gz");
    await writeBackup(path, head, given());
    const packed = readFileSync(path);
    writeFileSync(path, packed.subarray(0, packed.length - 20));
    await expect(openBackup(path)).rejects.toThrow(/cannot be decompressed/);
    writeFileSync(path, "plain");
    await expect(openBackup(path)).rejects.toThrow(/cannot be decompressed/);
    writeFileSync(path, gzipSync(`${gunzipSync(packed).toString().split("\n")[0]}\n`));
    await expect(openBackup(path)).rejects.toThrow(/truncated/);
    await expect(openBackup(join(folder, "absent.jsonl"))).rejects.toThrow(/cannot be read \(ENOENT\)/);
  });

  it("keeps its previous content when a new backup fails", async () => {
    const path = join(folder, "kept.jsonl");
    await writeBackup(path, head, given());
    async function* broken(): AsyncGenerator<RestoreChunk> {
      yield* pages.slice(0, 1);
      throw new Error("the service is away");
    }
    await expect(writeBackup(path, head, broken())).rejects.toThrow("the service is away");
    expect(await readBack(path)).toEqual(pages);
    expect(() => statSync(`${path}.partial`)).toThrow();
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
