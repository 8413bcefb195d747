/** Downloads over a breaking connection: 200 MB cut 20 times at random bytes, and files replaced during a download. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, describe, expect, it } from "vitest";
import { DAY, startDriveWorld } from "../conformance/drive-world.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import { sha256 } from "../support/operator.ts";
import { printedRandom, randomBytes } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";
import { isMissing, mustRun, type Ran, runTool } from "../support/tools.ts";

const MEGABYTE = 1_000_000;
const SIZE = 200 * MEGABYTE;
const CUTS = 20;

const large = tradesFile(DAY, randomBytes(1, SIZE), `${DAY}_full.7z`);
const random = printedRandom("cuts");
const folder = testFolder("edgetape-resume-");
const world = await startDriveWorld();
const proxy = await startCuttingProxy(world.service.baseUrl);
await publishFiles(world.service, large);
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

/** Returns the URL of a file of the share through the proxy that cuts connections. */
const through = (path: string) => `${proxy.baseUrl}/s/${world.share.shareId}/${path}`;
const largePath = () => through(`${DAY}/${large.name}`);

/** Cuts each of the next 20 connections after at most `most` bytes. All 20 together carry less than the whole file. */
function planCuts(most = 9 * MEGABYTE): void {
  proxy.cutAfter(Array.from({ length: CUTS }, () => random.integer(1, most)));
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

async function untilExists(path: string): Promise<void> {
  while ((await stat(path).catch(() => null)) === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Repeats a download that each cut ends. It must succeed in the first run after the last cut. */
async function untilDone(run: () => Promise<Ran>): Promise<Ran> {
  for (let cut = 1; cut <= CUTS; cut++) expect((await run()).status).not.toBe(0);
  return run();
}

type Download = (url: string, to: string) => Promise<Ran>;

const curl: Download = (url, to) => {
  const user = `${world.share.shareId}:${world.share.password}`;
  return runTool("curl", ["-sS", "--fail", "-C", "-", "-u", user, "-o", to, url]);
};
const wget = (url: string, to: string, ...more: string[]) => {
  const credentials = [`--user=${world.share.shareId}`, `--password=${world.share.password}`];
  return runTool("wget", ["-c", "-O", to, "--auth-no-challenge", ...credentials, ...more, url]);
};
const aria2c = (url: string, to: string, ...more: string[]) => {
  const { shareId, password } = world.share;
  const credentials = [`--http-user=${shareId}`, `--http-passwd=${password}`];
  const args = ["-c", "-x8", "-s8", "-k1M", "--max-tries=0", "--retry-wait=0", "--no-conf", ...more];
  return runTool("aria2c", [...args, ...credentials, "-d", folder, "-o", to, url]);
};

describe("a download of 200 MB, cut 20 times at random bytes, ends with the right checksum", () => {
  const downloads: Record<string, (to: string) => Promise<Ran>> = {
    "curl -C -": (to) => untilDone(() => curl(largePath(), to)),
    "wget -c": (to) => wget(largePath(), to, "--tries=0", "--waitretry=0", "-nv"),
    "aria2c -x8": (to) => aria2c(largePath(), basename(to), "--console-log-level=warn"),
  };

  it.for(Object.keys(downloads))("when it is resumed by %s", async (command, { skip }) => {
    const [tool = ""] = command.split(" ");
    if (isMissing(tool)) skip();
    const before = proxy.cuts();
    planCuts();
    const ran = await downloads[command]?.(join(folder, tool));
    expect(ran?.status, ran?.output).toBe(0);
    expect(proxy.cuts() - before).toBe(CUTS);
    expect(await sumOf(join(folder, tool))).toBe(sha256(large.bytes));
  });
});

describe("a file replaced during its download", () => {
  /** Publishes a file of 3 MB. `replace` publishes a replacement of `newSize` bytes. */
  const replaceable = async (name: string, newSize = 3_100_000) => {
    const old = tradesFile(DAY, randomBytes(name.length, 3 * MEGABYTE), `${DAY}_${name}.zip`);
    await publishFiles(world.service, old);
    const replace = () => publishFiles(world.service, { ...old, bytes: randomBytes(99, newSize) });
    return { url: through(`${DAY}/${old.name}`), sum: sha256(old.bytes), to: join(folder, name), replace };
  };

  it.skipIf(isMissing("curl"))("is completed with its old bytes by curl -C -", async () => {
    const { url, sum, to, replace } = await replaceable("for-curl");
    proxy.cutAfter([MEGABYTE]);
    expect((await curl(url, to)).status).not.toBe(0);
    expect((await stat(to)).size).toBeGreaterThan(900_000);
    await replace();
    expect((await curl(url, to)).status).toBe(0);
    expect(await sumOf(to)).toBe(sum);
  });

  it.skipIf(isMissing("wget"))("is completed with its old bytes by wget -c", async () => {
    const { url, sum, to, replace } = await replaceable("for-wget");
    proxy.cutAfter([MEGABYTE]);
    expect((await wget(url, to, "--tries=1")).status).not.toBe(0);
    await replace();
    expect((await wget(url, to)).status).toBe(0);
    expect(await sumOf(to)).toBe(sum);
    expect((await wget(url, to)).output).toContain("already fully retrieved");
  });

  it.skipIf(isMissing("aria2c"))("is completed with its old bytes by the same aria2c process", async () => {
    const { url, sum, to, replace } = await replaceable("for-aria2c");
    proxy.cutAfter([500_000, 500_000, 500_000, 500_000]);
    const running = aria2c(url, "for-aria2c", "--max-overall-download-limit=1M");
    await untilExists(to);
    await replace();
    const { status, output } = await running;
    expect(status, output).toBe(0);
    expect(await sumOf(to)).toBe(sum);
  });

  it.skipIf(isMissing("aria2c"))(
    "makes a new aria2c process fail instead of mixing the two versions",
    async () => {
      // The new process requests the whole file and compares its size with the size that the first process recorded.
      // If the sizes differ, aria2c fails. If they are equal, aria2c requests a range without naming a version. The
      // service refuses this range, because the client has begun to download both versions.
      for (const { name, size, says } of [
        { name: "longer", size: 3_100_000, says: "total length mismatch" },
        { name: "as-long", size: 3 * MEGABYTE, says: "status=409" },
      ]) {
        const { url, sum, to, replace } = await replaceable(`aria2c-${name}`, size);
        proxy.cutAfter([700_000, 700_000, 1, 1, 1, 1, 1, 1]);
        expect((await aria2c(url, `aria2c-${name}`, "--max-tries=1")).status).not.toBe(0);
        await replace();
        const { status, output } = await aria2c(url, `aria2c-${name}`, "--log=-", "--log-level=info");
        expect(status).not.toBe(0);
        expect(output.toLowerCase()).toContain(says);
        expect(await sumOf(to)).not.toBe(sum);
      }
    },
  );

  describe("and requested with HEAD before the download resumes", () => {
    /**
     * Begins a download that is cut, replaces the file, reads the new headers with `look`, and resumes. The resumed
     * download must fail with an error and leave the partial file unchanged.
     */
    const expectNotMixed = async (name: string, run: Download, look: (url: string) => Promise<unknown>) => {
      const { url, to, replace } = await replaceable(`${name}-looks`);
      proxy.cutAfter([MEGABYTE]);
      await run(url, to);
      await replace();
      await look(url);
      const part = await sumOf(to);
      const { status, output } = await run(url, to);
      expect(status).not.toBe(0);
      expect(output).toContain("409");
      expect(await sumOf(to)).toBe(part);
    };

    it.skipIf(isMissing("curl"))("is not resumed by curl, and the partial file stays unchanged", () =>
      expectNotMixed("curl", curl, (url) => {
        const user = `${world.share.shareId}:${world.share.password}`;
        return mustRun("curl", ["-sSI", "-u", user, url]);
      }),
    );

    it.skipIf(isMissing("wget"))("is not resumed by wget, and the partial file stays unchanged", () =>
      expectNotMixed(
        "wget",
        (url, to) => wget(url, to, "--tries=1"),
        (url) => wget(url, "/dev/null", "--spider"),
      ),
    );
  });
});
