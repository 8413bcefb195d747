/** Headers and bodies that servers often handle badly. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Random } from "../support/random.ts";
import { corruptText } from "./hostile-bodies.ts";

const RANGES = [
  ...["bytes=0-", "bytes=-1", "bytes=5-1", "bytes=0-0,2-3", "bytes=-", "bytes=", "items=0-1", "bytes=0-0"],
  ...[
    "bytes= 0 - 5",
    "bytes=99999999999999999999-",
    "bytes=0-99999999999999999999",
    "bytes=-0",
    "bytes=1e3-",
  ],
  ...["bytes=0x10-", "BYTES=0-1", "bytes=0-1;x", "bytes=٣-", `bytes=${"0-1,".repeat(500)}`, "bytes=--1"],
];
const TAGS = ['"x"', "*", 'W/"x"', '"', "", '"a", "b"', `"${"x".repeat(5_000)}"`, "0", "\u00ff"];
const DATES = ["Thu, 01 Jan 1970 00:00:00 GMT", "never", "99999999999999", "Thu, 99 Foo 2026 99:99:99 GMT"];
const DEPTHS = ["0", "1", "infinity", "-1", "0, 1", "1e0", "", "\u00e9"];
/** Returns some corrupt headers, in Latin-1 only. */
export function corruptHeaders(random: Random): Record<string, string> {
  const headers: Record<string, string> = {};
  const set = (name: string, choices: readonly string[], share = 0.15) => {
    if (random.chance(share)) headers[name] = random.pick(choices).replaceAll(/[^\x20-\x7e\xa0-\xff]/g, "?");
  };
  set("range", RANGES, 0.3);
  set("if-range", [...TAGS, ...DATES]);
  set("if-match", TAGS);
  set("if-none-match", TAGS);
  set("if-modified-since", DATES);
  set("if-unmodified-since", DATES);
  set("depth", DEPTHS, 0.3);
  set("accept-language", ["zh;q=9,en;q=-1", "*", `${"en,".repeat(3_000)}zh`, ";;;q=", "zh-\u00ff"]);
  set("content-type", [
    "application/x-www-form-urlencoded",
    "text/xml",
    "multipart/form-data; boundary=",
    "\u00ff/x",
  ]);
  set("origin", ["null", "https://evil.example", "http://[::1", "\u00ff"]);
  set("sec-fetch-site", ["same-origin", "cross-site", "none", "x"]);
  set("cookie", [
    "edgetape_share=1.x",
    "edgetape_console=",
    `a=${"b".repeat(4_000)}`,
    ";;;=;",
    "edgetape_share=9999999999999999.0",
  ]);
  set("x-forwarded-proto", ["https", "ftp"]);
  set("x-form-token", ["x", "0".repeat(64)]);
  if (random.chance(0.02)) headers["x-large"] = "x".repeat(32 * 1024);
  if (random.chance(0.02)) for (let n = 0; n < 100; n++) headers[`x-many-${n}`] = "x";
  headers["cf-connecting-ip"] = addressOf(random);
  return headers;
}

/** Returns a different address for nearly every request, so that no lockout applies. Some addresses are invalid. */
const addressOf = (random: Random) =>
  random.pick([
    `203.0.${random.integer(0, 255)}.${random.integer(0, 255)}`,
    `2001:db8:${random.integer(0, 0xffff).toString(16)}::1`,
    random.pick(["", "::", "1.2.3", ":::::::::", "x".repeat(500)]),
  ]);

const COMPRESSORS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} as const;
/** 4 MB of zeros, compressed with each method to a few KB. */
const bombs = Object.entries(COMPRESSORS).map(
  ([encoding, compress]) => [encoding, compress(Buffer.alloc(4 * 1024 * 1024))] as const,
);

export interface HostileBody {
  body: Buffer | string;
  headers: Record<string, string>;
  isOversized?: boolean;
}

/** Returns a body and its headers; `text` is a valid body to corrupt. */
export function hostileBody(random: Random, text: string): HostileBody {
  const kind = random.next();
  if (kind < 0.7) return { body: corruptText(random, text), headers: {} };
  if (kind < 0.8) {
    const [encoding, body] = random.pick(bombs);
    return { body, headers: { "content-encoding": encoding } };
  }
  if (kind < 0.88) {
    const [encoding, compress] = random.pick(Object.entries(COMPRESSORS));
    return {
      body: compress(Buffer.from(text)),
      headers: { "content-encoding": random.pick([encoding, "gzip, br", "x"]) },
    };
  }
  if (kind < 0.96) return { body: text, headers: { "transfer-encoding": "chunked" } };
  const body = text.padEnd(random.pick([65_536, 65_537, 200_000, 3_000_000]), random.pick([" ", "{", "0"]));
  return {
    body,
    headers: random.chance(0.5) ? { "transfer-encoding": "chunked" } : {},
    isOversized: body.length > 65_536,
  };
}
