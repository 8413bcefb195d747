/** Copies a share with rclone over HTTP and over WebDAV. The copy is complete, and a second one transfers nothing. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY, startDriveWorld } from "../conformance/drive-world.ts";
import { basic, onDrive, tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import { randomBytes } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";
import { isMissing, mustRun } from "../support/tools.ts";

const folder = testFolder("edgetape-rclone-");
const world = await startDriveWorld();
/** For each protocol, the remote and the options with which rclone connects to the share. */
const remotes: Record<string, { remote: string; options: string[] }> = {};

beforeAll(async () => {
  const { url, shareId, password } = world.share;
  const { authorization = "" } = basic(shareId, password);
  const obscured = await mustRun("rclone", ["obscure", password]);
  remotes.http = {
    remote: ":http:",
    options: ["--http-url", url, "--http-headers", `Authorization,${authorization}`],
  };
  remotes.webdav = {
    remote: ":webdav:",
    options: ["--webdav-url", url, "--webdav-user", shareId, "--webdav-pass", obscured.trim()],
  };
});
afterAll(() => world.stop());

/** Runs rclone on the share without the configuration of this machine's user. */
function rclone(kind: string, verb: string, ...args: string[]): Promise<string> {
  const { options = [] } = remotes[kind] ?? {};
  return mustRun("rclone", [verb, ...args, ...options, "--config", "/dev/null", "-v"]);
}

/** Returns the number of files that a `copy` reports as transferred. */
function transferred(output: string): number {
  const counts = [...output.matchAll(/Transferred:\s+(\d+) \/ \d+, (?:100%|-)/g)];
  return Number(counts.at(-1)?.[1] ?? 0);
}

describe.skipIf(isMissing("rclone")).each(["http", "webdav"])("rclone over %s", (kind) => {
  it("copies the whole share byte for byte, and transfers nothing the second time", async () => {
    const to = join(folder, kind);
    const remote = remotes[kind]?.remote ?? "";
    expect(transferred(await rclone(kind, "copy", remote, to))).toBe(world.share.file_count + 2);
    const checked = await rclone(kind, "check", remote, to, "--download");
    expect(checked).toContain("0 differences found");
    expect(checked).toContain(`${world.share.file_count + 2} matching files`);
    await mustRun("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: to });
    expect(transferred(await rclone(kind, "copy", remote, to))).toBe(0);
  });

  it("transfers only a replaced file and the generated files that list it", async () => {
    const to = join(folder, `${kind}-again`);
    const remote = remotes[kind]?.remote ?? "";
    await rclone(kind, "copy", remote, to);
    // Modification times have a resolution of a second, so the test waits longer before it replaces the file.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    // Over WebDAV rclone compares sizes only, so the checksum file, whose size is unchanged, is not transferred.
    const isHttp = kind === "http";
    const size = isHttp ? world.trades.bytes.length : 123_456;
    await publishFiles(world.service, tradesFile(DAY, randomBytes(2, size)));
    expect(transferred(await rclone(kind, "copy", remote, to))).toBe(isHttp ? 3 : 2);
    if (isHttp) await mustRun("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: to });
  });

  it("copies one security's file of a day, and lists the folder `by-symbol`", async () => {
    const { remote = "", options = [] } = remotes[kind] ?? {};
    const path = `${DAY}/by-symbol/600519.SH.parquet`;
    const copied = join(folder, `${kind}.parquet`);
    await mustRun("rclone", ["copyto", `${remote}${path}`, copied, ...options, "--config", "/dev/null"]);
    const { bytes } = await onDrive(world.share, path);
    await mustRun("cmp", [copied, "-"], { input: bytes });
    const listed = await rclone(kind, "lsf", `${remote}${DAY}/by-symbol`);
    expect(listed).toContain("300750.SZ.parquet");
  });
});
