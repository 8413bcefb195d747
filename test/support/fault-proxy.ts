/**
 * A line that misbehaves: an HTTP relay in front of the service that loses requests and answers, cuts and
 * delays bodies, answers 429 and 503 by itself, or dies. Which request meets what is the test's to say.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** What happens to one request. Without a fault it is relayed untouched. */
export type Fault =
  /** The connection is reset before the service hears of it. */
  | { kind: "drop" }
  /** The service answers, and nobody hears of it. */
  | { kind: "lose" }
  /** The answer's head and so many bytes of its body arrive, then the connection is reset. */
  | { kind: "cut"; afterBytes: number }
  /** So many bytes of the body, under a length of their own: it looks whole and is not. */
  | { kind: "shorten"; afterBytes: number }
  | { kind: "delay"; ms: number }
  /** An answer that the service never sees. */
  | { kind: "answer"; status: number; headers?: Record<string, string>; body?: string };

export interface FaultProxy {
  /** The service's address through the line. */
  baseUrl: string;
  /** Requests that came so far. */
  requests(): number;
  /** The fault of each request, asked once as it comes; `index` counts from 0. */
  plan(faultOf: (index: number) => Fault | null): void;
  /** From now on every connection is refused or reset. */
  die(): void;
  revive(): void;
  stop(): Promise<void>;
}

/** Opens a line to `upstream` on a free port of this machine; without faults until `plan` is called. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let faultOf: (index: number) => Fault | null = () => null;
  let count = 0;
  let isDead = false;

  const server = createServer(async (incoming, outgoing) => {
    const fault = faultOf(count++);
    const reset = () => incoming.socket.resetAndDestroy();
    if (isDead || fault?.kind === "drop") return reset();
    try {
      const body = await bytesOf(incoming);
      if (fault?.kind === "answer") {
        outgoing.writeHead(fault.status, fault.headers).end(fault.body ?? "");
        return;
      }
      if (fault?.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.ms));
      const answer = await relayed(upstream, incoming, body);
      if (isDead || fault?.kind === "lose") return reset();
      send(outgoing, answer, fault);
    } catch {
      reset();
    }
  });
  server.on("connection", (socket) => {
    if (isDead) return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => count,
    plan: (next) => {
      faultOf = next;
    },
    die: () => {
      isDead = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    revive: () => {
      isDead = false;
    },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** 429 and 503 as the service itself words them, with the wait in whole seconds. */
export function refusalFault(status: 429 | 503, retryAfterSeconds: number): Fault {
  const reason = status === 429 ? "rate_limited" : "slot_busy";
  const body = { code: status, message: `try again [${reason} · a-fault]`, data: null };
  return {
    kind: "answer",
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-reason": reason,
      "x-request-id": "a-fault",
      "retry-after": String(retryAfterSeconds),
    },
    body: JSON.stringify(body),
  };
}

interface Relayed {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

function relayed(upstream: string, incoming: IncomingMessage, body: Buffer): Promise<Relayed> {
  const { host: _, ...headers } = incoming.headers;
  const { method = "GET", url = "/" } = incoming;
  return new Promise((resolve, reject) => {
    const asked = request(new URL(url, upstream), { method, headers }, async (answer) => {
      try {
        resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: await bytesOf(answer) });
      } catch (error) {
        reject(error);
      }
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

function send(outgoing: ServerResponse, { status, headers, body }: Relayed, fault: Fault | null): void {
  const { "transfer-encoding": _, ...kept } = headers;
  if (fault?.kind === "shorten") {
    const shorter = body.subarray(0, fault.afterBytes);
    outgoing.writeHead(status, { ...kept, "content-length": shorter.length }).end(shorter);
  } else if (fault?.kind === "cut") {
    // At least one byte stays away, or it would be no cut.
    const part = body.subarray(0, Math.max(0, Math.min(fault.afterBytes, body.length - 1)));
    outgoing.writeHead(status, { ...kept, "content-length": body.length });
    outgoing.flushHeaders();
    outgoing.write(part, () => setImmediate(() => outgoing.socket?.resetAndDestroy()));
  } else {
    outgoing.writeHead(status, { ...kept, "content-length": body.length }).end(body);
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
