import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileNameProblem } from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { openDailyFile, refuseWrongName } from "../../../src/cli/file-commands.ts";
import { addFile } from "../../../src/cli/uploads.ts";
import { auctionPack } from "../../support/files.ts";
import { testFolder } from "../../support/test-folder.ts";
import { fakeService, type Reply } from "./fake-service.ts";

const DATE = "20260311" as BeijingDate;
const folder = testFolder("edgetape-files-");

const onDisk = (name: string, bytes: Uint8Array | string) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const own = { dataType: "level2", tradedate: DATE, name: "20260311_trades.csv" } as const;
const auction = { dataType: "auction_tick", tradedate: DATE, name: "20260311_aucde.parquet" } as const;

const summary = {
  ...own,
  revision: 1,
  origin: "operator",
  state: "verifying",
  stateNote: "",
  sizeBytes: 25,
  sha256: "0".repeat(64),
  uploadedAt: "2026-03-11T18:00:00+08:00",
  publishedAt: null,
};

describe("edgetape files add", () => {
  it("sends each missing part with its checksum, then completes the upload", async () => {
    const file = await openDailyFile(onDisk("trades.csv", "0123456789abcdefghijklmno"), own);
    const begun = {
      state: "uploading",
      uploadId: "up1",
      revision: 1,
      partSizeBytes: 10,
      partCount: 3,
      parts: [{ n: 2, sizeBytes: 10, sha256: "1".repeat(64) }],
    };
    const replies: Record<string, (sha256: string) => Reply> = {
      uploads: () => ({ json: begun }),
      "1": (sha256) => ({ json: { n: 1, sizeBytes: 10, sha256 } }),
      "3": (sha256) => ({ json: { n: 3, sizeBytes: 5, sha256 } }),
      complete: () => ({ json: summary }),
    };
    const service = fakeService(({ path, headers }) => {
      const reply = replies[path.split("/").at(-1) ?? ""];
      return reply?.(headers.get("X-Content-SHA256") ?? "") ?? { status: 404, json: { error: "?" } };
    });
    const sent: number[] = [];
    expect(await addFile(service.client, own, file, { onSent: (bytes) => sent.push(bytes) })).toEqual(
      summary,
    );
    await file.close();
    const route = "/admin/files/level2/20260311/20260311_trades.csv/uploads";
    expect(service.asked.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      [
        `POST ${route}`,
        `POST ${route}/up1/complete`,
        `PUT ${route}/up1/parts/1`,
        `PUT ${route}/up1/parts/3`,
      ].sort(),
    );
    expect(sent.at(-1)).toBe(25);
  });

  it("sends nothing when the service already has the content", async () => {
    const file = await openDailyFile(onDisk("trades.csv", "x"), own);
    const service = fakeService(() => ({ json: { state: "present", file: summary } }));
    expect(await addFile(service.client, own, file)).toEqual(summary);
    await file.close();
    expect(service.asked).toHaveLength(1);
  });

  it("refuses a missing file, a folder, an empty file and an auction pack that is not complete Parquet", async () => {
    const refused = (path: string, place: typeof own | typeof auction) =>
      expect(openDailyFile(path, place)).rejects;
    await refused(join(folder, "absent"), own).toThrow("ENOENT");
    await refused(folder, own).toThrow("EISDIR");
    await refused(onDisk("empty", ""), own).toThrow("it is empty");
    await refused(onDisk("csv", "symbol,tradedate,time\n"), auction).toThrow("PAR1");
    const whole = auctionPack(DATE).bytes;
    await (await openDailyFile(onDisk("whole", whole), auction)).close();
    await refused(onDisk("cut", whole.subarray(0, -100)), auction).toThrow("PAR1");
  });

  it("refuses an auction pack or any .parquet file with a page that cannot be decoded", async () => {
    const whole = auctionPack(DATE).bytes;
    const corrupted = whole.slice();
    const footerAt = whole.length - 8 - new DataView(whole.buffer).getUint32(whole.length - 8, true);
    const step = Math.max(1, Math.floor((footerAt - 8) / 2_000));
    for (let at = 4; at < footerAt; at += step) corrupted[at] = (corrupted[at] ?? 0) ^ 0xa5;
    const other = { ...own, name: "20260311_trades.PARQUET" };
    for (const place of [auction, other]) {
      await expect(openDailyFile(onDisk("corrupted.parquet", corrupted), place)).rejects.toThrow(
        /corrupted\.parquet is refused: some of its pages cannot be decoded/,
      );
      await (await openDailyFile(onDisk("whole [1]*.parquet", whole), place)).close();
    }
    const random = crypto.getRandomValues(new Uint8Array(5_000));
    await expect(openDailyFile(onDisk("random.parquet", random), other)).rejects.toThrow("PAR1");
    // A level2 file whose name in the share does not end in .parquet may contain anything.
    await (await openDailyFile(onDisk("random.parquet", random), own)).close();
  });

  it("refuses a name with another day or without a day, with the service's message", () => {
    expect(() => refuseWrongName({ ...auction, name: "20260312_aucde.parquet" })).toThrow(
      "an auction pack of this day is called 20260311_aucde.parquet",
    );
    expect(() => refuseWrongName({ ...own, name: "trades.csv" })).toThrow("must contain the day 20260311");
    expect(() => refuseWrongName(own)).not.toThrow();
  });
});

describe("the name of a level2 file", () => {
  it.each([
    "20260311.7z",
    "20260311_quotes.csv.gz",
    "SH-trades-20260311.zip",
    "20260311",
    `${"a".repeat(120)}20260311`,
  ])("may be %s", (name) => {
    expect(fileNameProblem("level2", DATE, name)).toBeNull();
  });

  it.each([
    "",
    ".",
    "..",
    ".20260311",
    "20260311/x",
    "20260311\\x",
    "20260311 x",
    "20260311\0",
    "20260311%2f",
    "逐笔20260311",
    "2026-03-11.csv",
    "20260311_20260312.csv",
    "20260311_orders.parquet",
    `${"a".repeat(121)}20260311`,
  ])("may not be %j", (name) => {
    expect(fileNameProblem("level2", DATE, name)).toEqual(expect.any(String));
  });
});
