/** Shares with the Python client: their content, and downloads into a folder over connections that break. */
import { createCipheriv } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { tradesFile } from "../support/drive.ts";
import { type DailyFile, publishFiles, withdrawFile } from "../support/files.ts";
import { account, asOperator, sha256 } from "../support/operator.ts";
import { isPythonMissing, type PythonSession, startSession } from "../support/python.ts";
import { printedRandom } from "../support/random.ts";
import { testService } from "../support/test-service.ts";

const without = isPythonMissing("shares with the Python client");
const MEGABYTE = 1_000_000;
const random = printedRandom("cuts of the share");

/** Returns incompressible bytes of a stream cipher. */
const noise = (length: number, key: number) =>
  createCipheriv("aes-128-ctr", Buffer.alloc(16, key), Buffer.alloc(16)).update(Buffer.alloc(length));

const files = ["20260309", "20260310", "20260311"].map((date, place) =>
  tradesFile(date, noise(3 * MEGABYTE + place, place + 1)),
);
const [first, second, third] = files as [DailyFile, DailyFile, DailyFile];

let python: PythonSession;
let folder: string;
const service = await testService();
await publishFiles(service, ...files);
const holder = await account(service, { plan: "flagship" });
beforeAll(async () => {
  if (without) return;
  python = await startSession({ env: { EDGETAPE_KEY: holder.key, EDGETAPE_URL: service.baseUrl } });
  await python.run(`import edgetape.waiting, time
edgetape.waiting.sleep = lambda seconds: time.sleep(min(seconds, 0.02))
share = Client().share("level2", 2026)`);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "edgetape-share-"));
  return () => rm(folder, { recursive: true, force: true });
});
afterAll(() => python?.stop());

const download = (options = "") =>
  python.run<string[]>(`result = share.download(${JSON.stringify(folder)}${options})`);
const pathOf = ({ date, name }: DailyFile) => join(folder, date, name);

/**
 * Runs `work` with a new proxy that cuts its next connections after the numbers of bytes in `cuts`. In Python, `broken`
 * is the share through this proxy.
 */
async function withCuts(cuts: number[], work: (line: CuttingProxy) => Promise<void>): Promise<void> {
  const line = await startCuttingProxy(service.baseUrl);
  try {
    // The cuts apply to connections that are opened from now on.
    await python.run(`client = Client(None, ["${line.baseUrl}"])
broken, to = client.share("level2", 2026), ${JSON.stringify(folder)}
client.close()`);
    line.cutAfter(cuts);
    await work(line);
  } finally {
    await line.stop();
  }
}

async function expectWhole(...wanted: DailyFile[]): Promise<void> {
  for (const each of wanted) expect(sha256(await readFile(pathOf(each)))).toBe(sha256(each.bytes));
}

async function partsIn(): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => name.includes(".part"));
}

describe.skipIf(without)("a share in the Python client", () => {
  it("lists every file with size, checksum and revision, and shows no password", async () => {
    const listed = await python.run<unknown[]>("result = [file._asdict() for file in share.files()]");
    expect(listed).toEqual(
      files.map(({ date, name, bytes }) => ({
        path: `${date}/${name}`,
        tradedate: date,
        size_bytes: bytes.length,
        sha256: sha256(bytes),
        revision: 1,
      })),
    );
    const [shown, password] = await python.run<[string, string]>("result = [repr(share), share.password]");
    expect(shown).toContain("level2 2026 ready: 3 files");
    expect(password).toHaveLength(24);
    expect(shown).not.toContain(password);
  });

  it("downloads all files, and none on the second run", async () => {
    expect(await download()).toEqual(files.map(pathOf));
    await expectWhole(...files);
    const before = await stat(pathOf(first));
    await download();
    expect((await stat(pathOf(first))).mtimeMs).toBe(before.mtimeMs);
    expect(await partsIn()).toEqual([]);
  });

  it("downloads only the requested days", async () => {
    expect(await download(', days=["2026-03-10"]')).toEqual([pathOf(second)]);
    expect((await readdir(folder)).filter((name) => !name.startsWith("."))).toEqual(["20260310"]);
  });

  it("downloads every file completely although connections are cut at random bytes", async () => {
    const cuts = Array.from({ length: 40 }, () => random.integer(1, MEGABYTE));
    await withCuts(cuts, async (line) => {
      await python.run("broken.download(to)");
      await expectWhole(...files);
      expect(line.cuts()).toBeGreaterThan(8);
    });
  });

  it("keeps the partial files of a failed run, and resumes them in the next run", async () => {
    // The first connection carries the manifest. The second is cut after 2 MB. Each later one is cut within the
    // response headers, so that no more data arrives.
    const cuts = [MEGABYTE, 2 * MEGABYTE, ...Array.from({ length: 7 }, () => 100)];
    await withCuts(cuts, async () => {
      const error = await python.raises('broken.download(to, days=["20260309"])');
      expect(error.error).toBe("ConnectionFailed");
      const [part = ""] = (await partsIn()).filter((name) => name.endsWith(".part"));
      const { size } = await stat(join(folder, part));
      expect(size).toBeGreaterThan(MEGABYTE);
      const sent = service.logs.length;
      await python.run('broken.download(to, days=["20260309"])');
      await expectWhole(first);
      const rest = service.logs
        .slice(sent)
        .map((line) => JSON.parse(line) as { file?: string; bytes?: number });
      expect(rest.find(({ file }) => file?.endsWith(first.name))?.bytes).toBe(first.bytes.length - size);
    });
  });

  it("downloads a file again if it was damaged locally or published again", async () => {
    await download();
    const corrupt = Buffer.from(second.bytes);
    corrupt.writeUInt8(corrupt.readUInt8(0) ^ 1, 0);
    await writeFile(pathOf(second), corrupt);
    const replaced = { ...third, bytes: noise(2 * MEGABYTE, 9) };
    await publishFiles(service, replaced);
    await download();
    await expectWhole(first, second, replaced);
    await publishFiles(service, third);
  });

  it("raises an error when a file's bytes differ from the manifest, and keeps the other files", async () => {
    const error = await python.raises(`from unittest import mock
from edgetape.share import Share
honest = Share.files
def lying(self):
    return [file._replace(sha256="0" * 64) if file.tradedate == "20260310" else file for file in honest(self)]
with mock.patch.object(Share, "files", lying):
    share.download(${JSON.stringify(folder)})`);
    expect([error.error, error.message]).toEqual([
      "IntegrityError",
      expect.stringContaining(`20260310/${second.name}`),
    ]);
    await expectWhole(first, third);
    expect(await partsIn()).toEqual([]);
    await expect(stat(pathOf(second))).rejects.toThrow();
  });

  it("reports that the share has ended, or that nothing is published", async () => {
    const { key, accountId } = await account(service, { plan: "flagship" });
    await python.run(`other = Client("${key}").share("level2", 2026)`);
    await asOperator(service, "PUT", `/admin/accounts/${accountId}/subscriptions`, { subscriptions: [] });
    const over = await python.raises(`import time
while True:
    other.files()
    time.sleep(0.5)  # In force within 30 s.`);
    expect([over.error, over.code, over.reason]).toEqual(["NotAllowed", 403, "share_over"]);
    const none = await python.raises('Client().share("auction_tick", 2026)');
    expect([none.error, none.reason]).toEqual(["NoData", "nothing_published"]);
  });

  it("omits a withdrawn file from the next download", async () => {
    await withdrawFile(service, second);
    expect(await download()).toEqual([pathOf(first), pathOf(third)]);
  });
});
