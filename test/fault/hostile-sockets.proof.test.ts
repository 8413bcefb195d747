/**
 * Sends over raw sockets what HTTP clients do not send: malformed requests, two lengths, broken chunks, pipelines,
 * binary bytes, and heads that arrive slowly or never end. Each connection gets a status below 500 or is closed, and
 * the service serves the next caller.
 */
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { day, randomSecurity } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { ADMIN_TOKEN } from "../support/service.ts";
import { testService } from "../support/test-service.ts";
import { proofSize } from "../support/tier.ts";
import { expectCleanLog } from "./hostile-checks.ts";

const TRADEDATE = "20260311";
/** The number of connections. Other tests send more requests, but here each connection can be silent for a second. */
const LINES = proofSize(3_000);
const AT_ONCE = 16;
/** How long to wait for an answer or the end of the connection after the last byte was sent. */
const SILENT_MS = 1_000;

const random = printedRandom("hostile sockets");
const service = await testService();
const securities = [randomSecurity(random, { symbol: "600519", rows: 300 })];
await publish(service, day({ tradedate: TRADEDATE, securities }));
const params = { symbol: "600519", tradedate: TRADEDATE, page_size: 5 };
const honest = async () => {
  const { key } = await account(service, { plan: "flagship" });
  return JSON.stringify(orderHistory({ apikey: key, params }));
};
/** Two valid requests: `body` is corrupted, and `nextBody` is sent unchanged by another account. */
const body = await honest();
const nextBody = await honest();

const post = (headers: string, text = body) => `POST /api HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${text}`;
const lengthOf = (text: string) => `Content-Length: ${Buffer.byteLength(text)}`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Heads and bodies, some of them valid, for the random corruptor. */
const INPUTS_TO_CORRUPT: readonly (() => string)[] = [
  () => post(lengthOf(body)),
  () => post("Transfer-Encoding: chunked", `${chunk(body)}0\r\n\r\n`),
  () => "GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
  () => "GET /s/x/ HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eDp5\r\nRange: bytes=0-1\r\n\r\n",
  () => "PROPFIND /s/x/ HTTP/1.1\r\nHost: x\r\nDepth: 1\r\nAuthorization: Basic eDp5\r\n\r\n",
  () => "GET /docs/zh/quickstart HTTP/1.0\r\n\r\n",
  () => "GET /console/ HTTP/1.1\r\nHost: x\r\nCookie: edgetape_console=x\r\n\r\n",
  () => "GET /admin/days HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n",
];

/** Further inputs, sent unchanged, which the random corruptor would hardly ever produce. */
const CASES: readonly (() => string)[] = [
  () => post(`${lengthOf(body)}\r\nContent-Length: 5`),
  () => post(`${lengthOf(body)}\r\nTransfer-Encoding: chunked`, `${chunk(body)}0\r\n\r\n`),
  () => post("Transfer-Encoding: chunked, identity", `${chunk(body)}0\r\n\r\n`),
  () => post("Transfer-Encoding: chunked", `ffffffffffffffff\r\n${body}`),
  () => post("Transfer-Encoding: chunked", `-5\r\n${body}\r\n0\r\n\r\n`),
  () => post("Transfer-Encoding: chunked", `5;${"x".repeat(40_000)}\r\nhello\r\n0\r\n\r\n`),
  () => post("Content-Length: 5000"),
  () =>
    `POST /admin/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nContent-Length: 50\r\n\r\n{}`,
  () => post("Content-Length: 99999999999999999999"),
  () => post("Content-Length: -1"),
  () => post("Content-Length: 0x10"),
  () => post("Expect: 100-continue\r\nContent-Length: 5", "hello"),
  () => post("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nContent-Length: 0", ""),
  () => "GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n",
  () => "GET http://other.example/health HTTP/1.1\r\nHost: x\r\n\r\n",
  () => "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
  () => "M-SEARCH /admin/days HTTP/1.1\r\nHost: x\r\n\r\n",
  () => "GET /health HTTP/9.9\r\nHost: x\r\n\r\n",
  () => "GET /health HTTP/1.1\r\n\r\n",
  () => "GET /health HTTP/1.1\r\nHost: \r\n\r\n",
  () => "GET /health HTTP/1.1\r\nHost: a b/../@:99999\r\n\r\n",
  () => "GET /s/\u00ff\u00fe/\u0000 HTTP/1.1\r\nHost: x\r\n\r\n",
  () => `GET /health HTTP/1.1\r\nHost: x\r\n${"X: y\r\n".repeat(5_000)}\r\n`,
  () => `GET /health HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(200_000)}\r\n\r\n`,
  () => `GET /${"x".repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  () => "GET /health HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
  () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  () => "GET /health HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50),
  () => post(lengthOf(body)).repeat(5),
];

/**
 * Returns the text with bytes removed, repeated, replaced or inserted. The text is Latin-1, so that every byte can
 * occur.
 */
function corrupt(text: string): string {
  let bytes = text;
  for (let changes = random.integer(1, 4); changes > 0; changes--) {
    const at = random.integer(0, bytes.length);
    const to = at + random.integer(0, 12);
    const inserted = random.pick(["\r\n", "\n", "\0", "\u00ff", ":", " ", "\t", "HTTP/1.1", "\r\n\r\n", "0"]);
    bytes = random.pick([
      bytes.slice(0, at) + bytes.slice(to),
      bytes.slice(0, to) + bytes.slice(at),
      bytes.slice(0, at) + inserted + bytes.slice(at),
      bytes.slice(0, at) + String.fromCharCode(random.integer(0, 255)) + bytes.slice(at + 1),
    ]);
  }
  return bytes;
}

/** Sends the pieces in order. Returns what arrived until the connection ended, broke or was silent for `SILENT_MS`. */
function sendLine(pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(service.baseUrl);
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname);
    let answer = "";
    const end = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      answer += text;
    });
    socket.on("error", end);
    socket.on("close", end);
    socket.setTimeout(SILENT_MS, end);
    void (async () => {
      for (const piece of pieces) {
        socket.write(piece, "latin1");
        if (pieces.length > 1) await new Promise((next) => setImmediate(next));
      }
      // In nine of ten cases, the client ends its side of the connection, so that the service expects no more data.
      if (random.chance(0.9)) socket.end();
    })();
  });
}

/**
 * Returns the statuses of the answers on a connection. No body that the service returns has a line that begins like a
 * status line.
 */
const statusesOf = (answer: string) =>
  [...answer.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));

/**
 * What the local edge simulator logs for a request without a valid URL. A fault of the service would have a separate
 * log line.
 */
const STAND_IN_LINE = /Invalid URL string|Fetch API cannot load/;

/**
 * Returns whether an answer is a fault or contains internal details. Connections share an account, so 503 with
 * `slot_busy` is not a fault.
 */
function isBad(answer: string, statuses: readonly number[]): boolean {
  // The local edge simulator itself fails for hosts and methods that a real edge would reject, so that they never reach
  // the service.
  const isStandIn = /miniflare\S*entry\.worker|Unrecognized request method|\r\n\r\nInternal Server Error/;
  if (isStandIn.test(answer)) return false;
  const isFault = statuses.some((status) => status >= 500) && !answer.includes("slot_busy");
  return isFault || /\bat \S+ \(|\.[jt]s:\d/.test(answer);
}

describe(`hostile TCP connections (${LINES})`, () => {
  it("get a status below 500 or are closed, and the next caller is served", async () => {
    const seen = new Map<string, number>();
    let sent = 0;
    const sender = async () => {
      while (sent++ < LINES) {
        const whole =
          sent <= CASES.length ? CASES[sent - 1]?.() : random.chance(0.1) ? random.pick(CASES)() : undefined;
        const text = whole ?? corrupt(random.pick(INPUTS_TO_CORRUPT)());
        const cut = random.integer(0, text.length);
        const pieces = random.chance(0.2)
          ? [...text.slice(0, 500), text.slice(500)]
          : random.chance(0.2)
            ? [text.slice(0, cut), text.slice(cut)]
            : [text];
        const answer = await sendLine(pieces);
        const statuses = statusesOf(answer);
        if (isBad(answer, statuses)) {
          throw new Error(`${JSON.stringify(text.slice(0, 600))} → ${answer.slice(0, 600)}`);
        }
        const kind = statuses.length === 0 ? "closed" : String(statuses[0]);
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    console.log("hostile lines:", Object.fromEntries(seen));
    expectCleanLog(service, STAND_IN_LINE);
    pageOf(await service.post(nextBody));
    expect(seen.get("200")).toBeGreaterThan(0);
    expect(seen.get("400")).toBeGreaterThan(0);
  });

  it("that stop in the middle of a request do not delay other clients", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const stalled = Array.from({ length: 200 }, (_, n) => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      socket.write(post(lengthOf(body)).slice(0, 10 + n), "latin1");
      return socket;
    });
    for (let n = 0; n < 20; n++) pageOf(await service.post(nextBody));
    for (const socket of stalled) socket.destroy();
    pageOf(await service.post(nextBody));
    expectCleanLog(service, STAND_IN_LINE);
  });
});
