import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { callOf } from "../../../src/cli/command.ts";
import { type CommandFailure, EXIT, ServiceRefusal } from "../../../src/cli/exit.ts";
import { openPack, publishAt, publishPack, publishPacks } from "../../../src/cli/publish-command.ts";
import { checkFolder } from "../../../src/pack-builder/check-packs.ts";
import { writeSamplePack } from "../../support/pack-bytes.ts";
import { testFolder } from "../../support/test-folder.ts";
import { type Asked, fakeService } from "./fake-service.ts";

const PART_BYTES = 10_000;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const folder = testFolder("edgetape-publish-");
const { path } = await writeSamplePack({ tradedate: "20261127" as BeijingDate, rows: 8_000 }, folder);
const bytes = await readFile(path);

/** The summary of the served day. */
const DAY = {
  ...{ tradedate: "20261127", revision: 1, state: "available", note: "", degraded: false, rows: 8_000 },
  ...{ securities: 20, sizeBytes: bytes.length, sha256: sha256(bytes), buildId: "0".repeat(32) },
  ...{ publishedAt: "2026-11-27T20:00:00+08:00", announcedInMs: 0 },
};

/** Returns a service that keeps parts across uploads and can fail at a given part. */
function storingService(stored: Map<number, Uint8Array>, breakAt = Number.POSITIVE_INFINITY) {
  let served = false;
  const answer = ({ method, path: asked, headers, body }: Asked) => {
    if (asked.endsWith("/uploads")) {
      if (served) return { json: { state: "served", day: DAY } };
      const parts = [...stored].map(([n, part]) => ({ n, sizeBytes: part.length, sha256: sha256(part) }));
      const sizes = { partSizeBytes: PART_BYTES, partCount: Math.ceil(bytes.length / PART_BYTES), parts };
      return { json: { state: "uploading", uploadId: "u/1", revision: 1, ...sizes } };
    }
    if (method === "PUT") {
      const n = Number(asked.split("/").at(-1));
      if (n >= breakAt) return { status: 422, json: { error: "broken down" } };
      const part = body as Uint8Array;
      expect(headers.get("x-content-sha256")).toBe(sha256(part));
      stored.set(n, part);
      return { json: { n, sizeBytes: part.length, sha256: sha256(part) } };
    }
    served = true;
    return { json: { day: DAY, newRevision: true } };
  };
  return fakeService(answer);
}

const joined = (stored: Map<number, Uint8Array>) =>
  Buffer.concat([...stored].sort(([a], [b]) => a - b).map(([, part]) => part));

describe("publishing a pack", () => {
  it("announces size and checksum, sends every byte in parts, and then completes the upload", async () => {
    const stored = new Map<number, Uint8Array>();
    const { client, asked } = storingService(stored);
    const pack = await openPack(path);
    const sent: number[] = [];
    const { newRevision } = await publishPack(client, pack, {
      force: true,
      onSent: (done) => sent.push(done),
    });
    await pack.close();
    expect(newRevision).toBe(true);
    // The first request is without force, so that rows that are already served do not become a new revision.
    const announced = (place: number) => JSON.parse(String(asked[place]?.body));
    for (const [place, force] of [false, true].entries()) {
      expect(announced(place)).toEqual({
        sizeBytes: bytes.length,
        sha256: sha256(bytes),
        buildId: pack.index.buildId,
        rows: 8_000,
        securities: 20,
        degraded: false,
        force,
      });
    }
    expect(joined(stored).equals(bytes)).toBe(true);
    expect(asked.at(-1)?.path).toBe("/admin/days/20261127/uploads/u%2F1/complete");
    expect(sent.at(-1)).toBe(bytes.length);
  });

  it("refuses a pack with a flipped bit in a block or in the global footer before it sends a request", async () => {
    for (const at of [2_000, bytes.length - 300]) {
      const broken = Uint8Array.from(bytes);
      broken[at] = (broken[at] ?? 0) ^ 1;
      const brokenPath = join(folder, `flipped-${at}.parquet`);
      await writeFile(brokenPath, broken);
      const pack = await openPack(brokenPath);
      const { client, asked } = storingService(new Map());
      await expect(publishPack(client, pack, { force: true })).rejects.toThrow(
        /is damaged: .*Build it again/,
      );
      await pack.close();
      expect(asked).toEqual([]);
    }
  });

  it("sends the verdict and shortfall of the adjacent quality sheet, and marks the day as degraded", async () => {
    const tradedate = "20261127" as BeijingDate;
    const lines = { reason: "broken_lines" as const, dataset: "orders" as const, lines: 7 };
    await checkFolder(folder, tradedate, { shortfalls: { orders: [lines] } });
    const { client, asked } = storingService(new Map());
    await publishAt(client, path, {});
    expect(JSON.parse(String(asked[0]?.body))).toMatchObject({
      degraded: true,
      shortfall: "7 lines of orders could not be parsed and were left out",
      quality: { verdict: "not_provable" },
    });
    await rm(join(folder, `${tradedate}_quality.json`));
  });

  it("sends no part when the same rows are already served, even with force", async () => {
    const stored = new Map<number, Uint8Array>();
    const { client, asked } = storingService(stored);
    const pack = await openPack(path);
    expect(await publishPack(client, pack)).toMatchObject({ newRevision: true });
    const before = asked.length;
    expect(await publishPack(client, pack, { force: true })).toMatchObject({ newRevision: false });
    await pack.close();
    expect(asked.slice(before).map(({ body }) => JSON.parse(String(body)).force)).toEqual([false]);
  });

  it("reports the served day when another publisher of the same rows completed the upload", async () => {
    const pack = await openPack(path);
    // The served pack was built from other files with the same rows.
    const day = { ...DAY, revision: 7, sha256: "0".repeat(64), buildId: pack.index.buildId };
    const { client } = fakeService(({ method }) =>
      method === "GET"
        ? { json: { day, comparison: { days: 0, markets: [] }, revisions: [] } }
        : { status: 409, json: { error: "It is over.", reason: "upload_ended" } },
    );
    expect(await publishPack(client, pack)).toEqual({ day, newRevision: false });
    // The rows are equal, but the served day is not marked as degraded.
    await expect(publishPack(client, pack, { degraded: true })).rejects.toThrow("It is over.");
    await pack.close();
  });

  it("sends only the missing parts of an interrupted upload", async () => {
    const stored = new Map<number, Uint8Array>();
    const pack = await openPack(path);
    await expect(publishPack(storingService(stored, 5).client, pack)).rejects.toThrow("broken down");
    const before = stored.size;
    expect(before).toBeGreaterThan(0);
    const { client, asked } = storingService(stored);
    await publishPack(client, pack);
    expect(asked.filter(({ method }) => method === "PUT")).toHaveLength(
      Math.ceil(bytes.length / PART_BYTES) - before,
    );
    expect(joined(stored).equals(bytes)).toBe(true);
    await pack.close();
  });
});

describe("publishing several packs", () => {
  /** Returns a service that refuses packs of days with an odd date, and already serves all other packs. */
  function refusingService() {
    return fakeService(({ path: asked, body }) => {
      const tradedate = /\d{8}/.exec(asked)?.[0] ?? "";
      if (/[13579]$/.test(tradedate))
        return { status: 409, json: { error: `${tradedate} shrank.`, reason: "shrunk" } };
      const { sizeBytes, rows, securities, sha256: sum, buildId } = JSON.parse(String(body));
      const day = { ...DAY, tradedate, rows, securities, sizeBytes, sha256: sum, buildId };
      return { json: { state: "served", day } };
    });
  }

  async function paths(): Promise<string[]> {
    const days = ["20261116", "20261117", "20261118", "20261119"] as BeijingDate[];
    const packs = days.map((tradedate) => writeSamplePack({ tradedate, rows: 50 }, folder));
    return (await Promise.all(packs)).map((pack) => pack.path);
  }

  /** Publishes packs. Returns the text on stdout, the lines on stderr, and the error. */
  async function publishing(packs: string[], json: boolean, client = refusingService().client) {
    const stdout = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
    const stderr = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const error = await publishPacks(callOf({ json }, client), packs, {}).then(
      () => null,
      (thrown: CommandFailure) => thrown,
    );
    const said = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls.map(([text]) => String(text));
    const result = { error, text: said(stdout).join(""), lines: said(stderr) };
    stdout.mockRestore();
    stderr.mockRestore();
    return result;
  }

  it("continues after a refused pack, prints what is served, and fails with the first refusal", async () => {
    const packs = (await paths()).slice(0, 3);
    const { text, error } = await publishing(packs, true);
    expect([error?.message, error?.status]).toEqual(["20261117 shrank.", EXIT.failed]);
    const { day, published } = JSON.parse(text);
    expect(day.tradedate).toBe("20261116");
    expect(published.map((each: { day: object }) => each.day)).toMatchObject([
      { tradedate: "20261116" },
      { tradedate: "20261118" },
    ]);
    const plain = await publishing(packs, false);
    expect(plain.text).toMatch(/^20261116 was already served .*\n20261118 was already served .*\n$/);
    expect(plain.error).toBeInstanceOf(ServiceRefusal);
  });

  it("prints each failure after the first as a line on stderr, in JSON with --json", async () => {
    const packs = [...(await paths()), join(folder, "absent.parquet")];
    const plain = await publishing(packs, false);
    expect(plain.error?.message).toBe("20261117 shrank.");
    expect(plain.lines).toEqual([
      `not published: ${packs[3]}: 20261119 shrank.`,
      `not published: ${packs[4]} cannot be read (ENOENT).`,
    ]);
    const json = await publishing(packs, true);
    expect(json.lines.map((line) => JSON.parse(line))).toEqual([
      { error: `${packs[3]}: 20261119 shrank.`, exitStatus: 1, httpStatus: 409, reason: "shrunk" },
      { error: `${packs[4]} cannot be read (ENOENT).`, exitStatus: 1 },
    ]);
  });

  it("sends no further pack when the token may not publish", async () => {
    const { client, asked } = fakeService(() => ({
      status: 403,
      json: { error: "The token lacks the scope publish." },
    }));
    const { error, text, lines } = await publishing(await paths(), true, client);
    expect(error).toBeInstanceOf(ServiceRefusal);
    expect([asked.length, text, lines]).toEqual([1, "", []]);
  });
});

describe("publishing a file that is not a pack", () => {
  it("is refused with one sentence before anything is sent", async () => {
    const broken = join(folder, "broken.parquet");
    await writeFile(broken, bytes.subarray(0, bytes.length - 100));
    await expect(openPack(broken)).rejects.toThrow(/broken\.parquet is not a complete day pack: /);
    await writeFile(broken, "");
    await expect(openPack(broken)).rejects.toThrow(/too short/);
    await expect(openPack(join(folder, "absent.parquet"))).rejects.toThrow(/cannot be read \(ENOENT\)/);
    await expect(openPack(folder)).rejects.toThrow(/cannot be read \(EISDIR\)/);
  });
});
