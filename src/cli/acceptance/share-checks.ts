/** Checks what download programs need from a share: HEAD, single ranges, resuming and the password. */
import { createHash } from "node:crypto";
import { type Caller, type Check, failed, type Outcome, ok, type Target } from "./check.ts";
import { ask, headerOf, open, type Reply } from "./probe.ts";

/** A file of at most this size is downloaded whole, in four ranges. */
const WHOLE_BYTES = 64 * 1024 * 1024;
const PIECES = 4;

/** The share of the target's year, opened once. */
type Opened = Awaited<ReturnType<typeof openShare>>;

/** Returns the checks of the share that contains the target's day. */
export function shareChecks(caller: Caller, target: Target): Check[] {
  let opened: Promise<Opened> | undefined;
  const check = (name: string, says: string, run: typeof bySymbol): Check => ({
    name,
    says,
    run: async () => {
      opened ??= openShare(caller, target);
      return run(await opened, caller, target);
    },
  });
  return [
    check("share", "file_download returns a share whose manifest lists the day", listed),
    check("share password", "requests without a password, or with a wrong one, get 401", passwords),
    check("share HEAD", "HEAD returns length, ETag and Accept-Ranges, without a body", head),
    check(
      "share ranges",
      "single ranges are exact; If-Range with a different ETag returns the whole file",
      ranges,
    ),
    check(
      "share by symbol",
      "one security's file, downloaded in four ranges, equals its Parquet answer byte for byte",
      bySymbol,
    ),
  ];
}

function basic(user: string, password: string) {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

async function openShare(caller: Caller, { tradedate }: Target) {
  const params = { data_type: "level2", year: Number(tradedate.slice(0, 4)) };
  type Share = { url: string; password: string; file_count: number };
  const { data: share } = await caller.data<{ data: Share }>("file_download", params);
  const user = share.url.replace(/\/$/, "").split("/").at(-1) ?? "";
  const headers = basic(user, share.password);
  const { status, bytes } = await ask(`${share.url}manifest.json`, { headers });
  if (status !== 200) throw new Error(`manifest.json returned HTTP ${status}`);
  type Manifest = { files: { path: string; size_bytes: number }[] };
  const { files } = JSON.parse(bytes.toString("utf8")) as Manifest;
  const file = files.find(({ path }) => path === `${tradedate}/${tradedate}_orders.parquet`);
  if (file === undefined)
    throw new Error(`the manifest lists ${files.length} files, but not the orders of ${tradedate}`);
  return { share, file, user, headers };
}

async function listed({ share, file }: Opened): Promise<Outcome> {
  return ok(`${share.file_count} files; ${file.path} has ${file.size_bytes} bytes`);
}

async function passwords({ share, user }: Opened): Promise<Outcome> {
  const replies = [
    await ask(`${share.url}manifest.json`),
    await ask(`${share.url}manifest.json`, { headers: basic(user, "wrong") }),
  ];
  const strange = replies.find(
    (reply) => reply.status !== 401 || headerOf(reply.headers, "www-authenticate") === null,
  );
  return strange === undefined ? ok("401 and 401") : failed(`HTTP ${strange.status} instead of 401`);
}

async function head({ share, file, headers }: Opened): Promise<Outcome> {
  const reply = await ask(share.url + file.path, { method: "HEAD", headers });
  const length = Number(headerOf(reply.headers, "content-length"));
  if (reply.status !== 200) return failed(`HTTP ${reply.status}`);
  if (length !== file.size_bytes)
    return failed(`Content-Length is ${length}, the manifest says ${file.size_bytes}`);
  if (reply.bytes.length > 0) return failed("it has a body");
  if (headerOf(reply.headers, "etag") === null) return failed("there is no ETag");
  const accepts = headerOf(reply.headers, "accept-ranges");
  return accepts === "bytes" ? ok(`${length} bytes`) : failed(`Accept-Ranges is ${accepts}`);
}

async function ranges({ share, file, headers }: Opened): Promise<Outcome> {
  const url = share.url + file.path;
  const size = file.size_bytes;
  const both = await range(url, headers, 0, 2_000);
  const parts = [await range(url, headers, 0, 1_000), await range(url, headers, 1_000, 2_000)];
  for (const reply of [both, ...parts])
    if (reply.status !== 206) return failed(`the request for a range returned HTTP ${reply.status}`);
  if (!both.bytes.equals(Buffer.concat(parts.map(({ bytes }) => bytes))))
    return failed("two adjacent ranges, joined, differ from one range that covers both");
  const last = await ask(url, { headers: { ...headers, Range: "bytes=-4" } });
  const span = headerOf(last.headers, "content-range");
  if (span !== `bytes ${size - 4}-${size - 1}/${size}`)
    return failed(`Content-Range of the last four bytes is ${span}`);
  if (last.bytes.toString("latin1") !== "PAR1") return failed("the last four bytes are not PAR1");
  const same = { ...headers, Range: "bytes=0-3", "If-Range": headerOf(both.headers, "etag") ?? "" };
  const kept = await ask(url, { headers: same });
  if (kept.status !== 206) return failed(`If-Range with the file's ETag returned HTTP ${kept.status}`);
  const other = await open(url, { headers: { ...same, "If-Range": '"another"' } });
  other.hangUp();
  if (other.status !== 200) return failed(`If-Range with a different ETag returned HTTP ${other.status}`);
  return ok("206, exact to the byte");
}

async function bySymbol({ share, file, headers }: Opened, caller: Caller, target: Target): Promise<Outcome> {
  const { tradedate, symbol, sizeBytes } = target;
  if (sizeBytes > WHOLE_BYTES)
    return failed(`${symbol} has more than ${WHOLE_BYTES} bytes; name a smaller security with --symbol`);
  const url = `${share.url}${file.path.split("/")[0]}/by-symbol/${symbol}.parquet`;
  const pieces: Buffer[] = [];
  for (let n = 0; n < PIECES; n++) {
    const [from, to] = [n, n + 1].map((edge) => Math.floor((sizeBytes * edge) / PIECES)) as [number, number];
    const piece = await range(url, headers, from, to);
    if (piece.status !== 206) return failed(`range ${n + 1} of ${symbol} gets HTTP ${piece.status}`);
    pieces.push(piece.bytes);
  }
  const params = { symbol, tradedate, format: "parquet" };
  const answer = await caller.call("level2_order_history", params);
  if (answer.status !== 200) return failed(`the Parquet request returned HTTP ${answer.status}`);
  const sum = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const joined = Buffer.concat(pieces);
  return sum(joined) === sum(answer.bytes)
    ? ok(`all ${joined.length} bytes are equal`)
    : failed("the bytes of the two answers differ");
}

/** Requests the bytes from `from` (inclusive) to `to` (exclusive). */
function range(url: string, headers: Record<string, string>, from: number, to: number): Promise<Reply> {
  return ask(url, { headers: { ...headers, Range: `bytes=${from}-${to - 1}` } });
}
