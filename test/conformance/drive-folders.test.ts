/** Tests the content of a share: folders, manifest, checksums, by-symbol, windows, malformed paths. */
import { request } from "node:http";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { afterAll, describe, expect, it } from "vitest";
import { basic, onDrive, shareOf, type TestShare, tradesFile } from "../support/drive.ts";
import { publishFiles, withdrawFile } from "../support/files.ts";
import { sha256 } from "../support/operator.ts";
import { randomBytes } from "../support/random.ts";
import { traversals } from "../support/traversals.ts";
import { DAY, PACKS, QUALITY, sharedDriveWorld } from "./drive-world.ts";
import { BEFORE_WINDOW, FIRST_OF_WINDOW } from "./world.ts";

const ZSTD = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

const world = await sharedDriveWorld();
afterAll(() => world.stop());

/** Returns the targets of all links on a page, as written there. */
async function linksOf(share: TestShare, path: string): Promise<string[]> {
  const { text } = await onDrive(share, path);
  return [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = ""]) => href);
}

describe("a share's folder", () => {
  it("at the root links to the days, the files, the manifest and the checksums, and to nothing else", async () => {
    const links = new Set(await linksOf(world.share, ""));
    const days = [BEFORE_WINDOW, FIRST_OF_WINDOW, DAY];
    const own = [...PACKS, `${DAY}_trades.zip`].map((name) => `${DAY}/${name}`);
    const files = new Set([...days.map((day) => `${day}/${day}_orders.parquet`), ...own]);
    const expected = [...days.map((day) => `${day}/`), ...files, "SHA256SUMS", "manifest.json"];
    expect([...links].sort()).toEqual(expected.sort());
  });

  it("for one day links to the day's files but not to by-symbol", async () => {
    const links = await linksOf(world.share, `${DAY}/`);
    expect(links).toEqual(["../", ...PACKS, `${DAY}_trades.zip`]);
  });

  it("redirects a path without the final slash to the path with it", async () => {
    for (const path of [DAY, `${DAY}/by-symbol`]) {
      const answer = await onDrive(world.share, path);
      expect(answer.status).toBe(308);
      expect(answer.headers.location).toBe(`/s/${world.share.shareId}/${path}/`);
    }
    const bare = await onDrive({ ...world.share, url: world.share.url.slice(0, -1) }, "");
    expect(bare.headers.location).toBe(`/s/${world.share.shareId}/`);
  });

  it("is a page without inline scripts or scripts from other hosts, and forbids compression by proxies", async () => {
    for (const path of ["", `${DAY}/`, `${DAY}/by-symbol/`]) {
      const { headers, text } = await onDrive(world.share, path, { headers: { "accept-language": "en" } });
      expect(headers["cache-control"]).toContain("no-transform");
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain("unsafe");
      expect(text).not.toMatch(/<style|style="|onclick|<script>|https?:\/\/(?!127\.0\.0\.1)/);
    }
  });
});

/** Returns the text of a page in English as a browser shows it. */
async function shownOf(path: string): Promise<string> {
  const { text } = await onDrive(world.share, path, { headers: { "accept-language": "en" } });
  return text.replaceAll(/<[^>]*>/g, "").replaceAll("&quot;", '"');
}

describe("the pages of a share", () => {
  it.each(["", `${DAY}/`])("name a security's files and show a download command (path %j)", async (path) => {
    const shown = await shownOf(path);
    const { shareId, url } = world.share;
    expect(shown).toContain(`curl -fO -u ${shareId} "${url}${DAY}/by-symbol/600519.SH.parquet"`);
    expect(shown).toContain("600519.SH_trades.parquet (trades)");
    expect(shown).toContain("600519.SH_quotes.parquet (quotes)");
  });

  it("show the verdict of the quality check beside each pack that was checked", async () => {
    expect((await shownOf("")).match(/quality check (?:passed|failed|not provable)/g)).toEqual([
      "quality check failed",
    ]);
  });
});

interface ListedFile {
  path: string;
  size_bytes: number;
  sha256: string;
  build_id?: string;
}

describe("a share's page", () => {
  it("contains no absolute URL, because fsspec would list it as a file", async () => {
    for (const path of ["", `${DAY}/`]) {
      const { text } = await onDrive(world.share, path);
      expect(text.match(/https?:\/\/[-a-zA-Z0-9@:%_+.~#?&/=]+/g) ?? []).toEqual([]);
      if (path === "") expect(text).toContain('<pre id="command-rclone">');
    }
  });
});

describe("manifest.json and SHA256SUMS", () => {
  it("list exactly the files that the share's file_count and size_bytes count", async () => {
    const { text } = await onDrive(world.share, "manifest.json");
    const manifest = JSON.parse(text) as { files: ListedFile[] };
    expect(manifest).toMatchObject({ data_type: "level2", year: 2026 });
    expect(manifest.files).toHaveLength(world.share.file_count);
    expect(manifest.files.reduce((sum, file) => sum + file.size_bytes, 0)).toBe(world.share.size_bytes);
    for (const file of manifest.files) {
      const answer = await onDrive(world.share, file.path);
      expect(answer.bytes).toHaveLength(file.size_bytes);
      expect(sha256(answer.bytes)).toBe(file.sha256);
      expect(answer.headers["x-build"]).toBe(file.build_id);
      expect(file.build_id !== undefined).toBe(/_(orders|trades|quotes)\.parquet$/.test(file.path));
    }
    const sums = await onDrive(world.share, "SHA256SUMS");
    expect(sums.text).toBe(manifest.files.map((file) => `${file.sha256}  ${file.path}\n`).join(""));
    expect(Object.keys(manifest.files[0] ?? {})).toEqual([
      "path",
      "tradedate",
      "size_bytes",
      "sha256",
      "revision",
      "build_id",
    ]);
  });

  it("return 304 when they are unchanged, and refuse a range that does not begin at 0", async () => {
    for (const name of ["manifest.json", "SHA256SUMS"]) {
      const first = await onDrive(world.share, name, { headers: { range: "bytes=0-3" } });
      expect(first.status).toBe(200);
      expect(first.headers["accept-ranges"]).toBe("none");
      const middle = await onDrive(world.share, name, { headers: { range: "bytes=5-" } });
      expect([middle.status, middle.reason]).toEqual([409, "no_ranges"]);
      const headers = { "if-none-match": String(first.headers.etag) };
      expect((await onDrive(world.share, name, { headers })).status).toBe(304);
      const head = await onDrive(world.share, name, { method: "HEAD" });
      expect(head.headers["content-length"]).toBe(String(first.bytes.length));
    }
  });
});

describe("manifest.json", () => {
  it("contains the result of the quality check for each pack that was checked", async () => {
    const { text } = await onDrive(world.share, "manifest.json");
    const { files } = JSON.parse(text) as { files: (ListedFile & { quality?: unknown })[] };
    const checked = files.filter(({ quality }) => quality !== undefined);
    expect(checked.map(({ path, quality }) => [path, quality])).toEqual([
      [`${DAY}/${DAY}_trades.parquet`, QUALITY],
    ]);
  });
});

describe("the folder by-symbol", () => {
  it("lists one file per dataset for every security that has rows", async () => {
    const links = await linksOf(world.share, `${DAY}/by-symbol/`);
    const expected = world.main.securities
      .filter(({ orders }) => orders.length > 0)
      .map(({ symbol, market }) => `${symbol}.${market}`)
      .flatMap((code) => ["", "_trades", "_quotes"].map((suffix) => `${code}${suffix}.parquet`));
    expect(links.filter((href) => !href.startsWith(".")).sort()).toEqual(expected.sort());
  });

  it("serves each security's order file with the same bytes as the Parquet answer", async () => {
    for (const { symbol, market, orders } of world.main.securities) {
      const path = `${DAY}/by-symbol/${symbol}.${market}.parquet`;
      const file = await onDrive(world.share, path);
      expect(file.status).toBe(orders.length > 0 ? 200 : 404);
      if (orders.length === 0) continue;
      const asked = { symbol: `${symbol}.${market}`, tradedate: DAY, format: "parquet" };
      const answer = await world.ask(asked);
      expect(file.bytes.equals(answer.bytes)).toBe(true);
      expect(file.headers["content-disposition"]).toBe(answer.headers["content-disposition"]);
    }
  });

  it.each([
    ["trades", "trade_id"],
    ["quotes", "bid_vol1"],
  ])("serves a file of %s that equals the security's section of the pack", async (dataset, number) => {
    const pack = await onDrive(world.share, `${DAY}/${DAY}_${dataset}.parquet`);
    const path = `${DAY}/by-symbol/600519.SH_${dataset}.parquet`;
    const file = await onDrive(world.share, path);
    expect([file.status, pack.bytes.includes(file.bytes)]).toEqual([200, true]);
    const disposition = String(file.headers["content-disposition"]);
    expect(disposition).toContain(`600519.SH_${DAY}_${dataset}.parquet`);
    const buffer = new Uint8Array(file.bytes).buffer;
    const rows = await parquetReadObjects({ file: buffer, compressors: ZSTD });
    const orders = world.main.rowsOf("600519");
    expect(rows.map(({ time, [number]: value }) => [time, Number(value)])).toEqual(
      orders.map(([, , time, , exchangeOrderId]) => [time, exchangeOrderId]),
    );
  });

  it.each(["600519", "600519.parquet", "600519.SH", "600519.sh.parquet", "600519.SH_orders.parquet"])(
    "answers %s with 404 and suggests the file name of each dataset",
    async (name) => {
      const answer = await onDrive(world.share, `${DAY}/by-symbol/${name}`);
      expect([answer.status, answer.headers["x-reason"]]).toEqual([404, "not_found"]);
      for (const suffix of ["", "_trades", "_quotes"]) {
        expect(answer.text).toContain(`600519.SH${suffix}.parquet`);
      }
    },
  );

  it("serves ranges of its files, and each file has a different ETag", async () => {
    const path = `${DAY}/by-symbol/600519.SH.parquet`;
    const file = await onDrive(world.share, path);
    const piece = await onDrive(world.share, path, { headers: { range: "bytes=-4" } });
    expect(piece.status).toBe(206);
    expect(piece.text).toBe("PAR1");
    expect(piece.headers["content-range"]).toBe(
      `bytes ${file.bytes.length - 4}-${file.bytes.length - 1}/${file.bytes.length}`,
    );
    const other = await onDrive(world.share, `${DAY}/by-symbol/300750.SZ.parquet`);
    expect(other.headers.etag).not.toBe(file.headers.etag);
  });
});

describe("the coverage of a share", () => {
  it("is the plan's window for a professional account, and earlier files return 404", async () => {
    const share = await shareOf(world.service, world.keys.professional);
    const order = (day: string) => onDrive(share, `${day}/${day}_orders.parquet`);
    expect((await order(FIRST_OF_WINDOW)).status).toBe(200);
    for (const path of [`${BEFORE_WINDOW}/${BEFORE_WINDOW}_orders.parquet`, `${BEFORE_WINDOW}/`]) {
      expect((await onDrive(share, path)).status).toBe(404);
      expect((await onDrive(world.share, path)).status).toBe(200);
    }
    const symbol = `${BEFORE_WINDOW}/by-symbol/600519.SH.parquet`;
    expect((await onDrive(share, symbol)).status).toBe(404);
    expect(await linksOf(share, "")).not.toContain(`${BEFORE_WINDOW}/`);
  });

  it("changes as soon as a file is published or withdrawn", async () => {
    const file = tradesFile(DAY, randomBytes(2, 100), `${DAY}_quotes.zip`);
    const path = `${DAY}/${file.name}`;
    const statuses = async () => [
      (await onDrive(world.share, path)).status,
      (await linksOf(world.share, "")).includes(path),
    ];
    expect(await statuses()).toEqual([404, false]);
    await publishFiles(world.service, file);
    expect(await statuses()).toEqual([200, true]);
    await withdrawFile(world.service, file);
    expect(await statuses()).toEqual([404, false]);
  });
});

describe("a path with traversal or special characters", () => {
  it("is answered with an error or with the share's own content, for 500 encoded traversals", async () => {
    const own = /^(200|308|404|401|405)$/;
    for (const path of traversals(500)) {
      const { status, bytes } = await rawGet(`/s/${world.share.shareId}/${path}`);
      const text = bytes.toString();
      expect(String(status)).toMatch(own);
      // Some of the paths resolve to a file or a page of the share.
      if (status === 200 && !bytes.equals(world.trades.bytes)) {
        expect(text).toMatch(/"data_type": "level2"|<span class="brand">edgetape/);
      }
      expect(text).not.toMatch(/root:|sqlite|orders\/2026\/\d+\/1\.parquet/);
    }
  });

  it("never reaches an R2 object, not even if the path contains the object's exact key", async () => {
    for (const key of [
      "orders/2026/20260311/1.parquet",
      "level2/2026/20260311/1",
      "..%2forders%2f2026%2f20260311%2f1.parquet",
    ]) {
      expect((await rawGet(`/s/${world.share.shareId}/${key}`)).status).toBe(404);
    }
  });

  it("is escaped when a page shows it", async () => {
    const { bytes, status } = await rawGet(`/s/${world.share.shareId}/%3Cscript%3Ealert(1)%3C/script%3E`, {
      accept: "text/html",
    });
    expect(status).toBe(404);
    expect(bytes.toString()).not.toContain("<script>alert");
  });
});

describe("a method that writes", () => {
  it("is refused with 405, and the Allow header lists the accepted methods", async () => {
    for (const method of [
      "POST",
      "PUT",
      "DELETE",
      "PATCH",
      "MKCOL",
      "MOVE",
      "COPY",
      "LOCK",
      "UNLOCK",
      "PROPPATCH",
    ]) {
      const answer = await onDrive(world.share, `${DAY}/${DAY}_trades.zip`, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("GET, HEAD, OPTIONS, PROPFIND");
    }
    expect((await onDrive(world.share, `${DAY}/${DAY}_trades.zip`)).status).toBe(200);
  });
});

/** Sends a GET request for `path`, without normalising it, with the share's password. */
function rawGet(path: string, more: Record<string, string> = {}): Promise<{ status: number; bytes: Buffer }> {
  const { hostname: host, port } = new URL(world.service.baseUrl);
  const headers = { ...basic(world.share.shareId, world.share.password), ...more };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
