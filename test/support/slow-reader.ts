/**
 * A client that stops reading in the middle of a body, as over a bad connection, so that its request stays in progress.
 */
import { type IncomingMessage, request } from "node:http";
import { bodyBytes } from "./http-client.ts";
import type { Service } from "./service.ts";

export interface SlowReader {
  status: number;
  headers: IncomingMessage["headers"];
  /** Reads the rest and returns how many bytes the whole body had; rejects when the body broke off. */
  finish(): Promise<number>;
  /** Closes the connection without reading further. */
  abort(): void;
}

/** Sends a request and reads only its headers. */
export function readSlowly(service: Service, body: unknown): Promise<SlowReader> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const outgoing = request(
      `${service.baseUrl}/api`,
      { method: "POST", agent: false, headers },
      (response) => {
        response.on("error", () => {});
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          finish: () => drain(response),
          abort: () => outgoing.destroy(),
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(bodyBytes(body));
  });
}

function drain(response: IncomingMessage): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    response.on("end", () => resolve(bytes));
    response.on("aborted", () => reject(new Error("the body broke off")));
  });
}
