/** An HTTP client that pauses at the first byte of the body, and continues or disconnects on command. */
import { type IncomingHttpHeaders, request } from "node:http";
import { bodyBytes } from "./http-client.ts";

/** What one client received of one body. */
export interface BodySeen {
  bytes: number;
  /** Whether the announced length arrived, if one was announced, and the connection did not break. */
  isWhole: boolean;
}

export interface OpenAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Reads to the end, or until the connection breaks. */
  readAll(): Promise<BodySeen>;
  /** Reads `bytes` bytes, or fewer if the body ends earlier, and closes the connection. */
  hangUpAfter(bytes: number): Promise<BodySeen>;
  /** Closes the connection without reading. */
  hangUp(): void;
}

/** Posts `body` and resolves with the answer's head, before any byte of its body is read. */
export function openAnswer(
  url: string,
  { body, headers: more = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<OpenAnswer> {
  const bytes = bodyBytes(body);
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": bytes.length, ...more };
    const outgoing = request(url, { method: "POST", agent: false, headers }, (answer) => {
      const seen: BodySeen = { bytes: 0, isWhole: false };
      const closed = new Promise<BodySeen>((done) => {
        answer.on("error", () => undefined);
        answer.on("close", () => {
          const length = answer.headers["content-length"];
          const isLong = length === undefined || seen.bytes === Number(length);
          done({ ...seen, isWhole: answer.complete && isLong });
        });
      });
      const read = (untilBytes: number) => {
        answer.on("data", (piece: Buffer) => {
          seen.bytes += piece.length;
          if (seen.bytes >= untilBytes) outgoing.destroy();
        });
        return closed;
      };
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        readAll: () => read(Number.POSITIVE_INFINITY),
        hangUpAfter: read,
        hangUp: () => void outgoing.destroy(),
      });
    });
    outgoing.on("error", reject);
    outgoing.end(bytes);
  });
}
