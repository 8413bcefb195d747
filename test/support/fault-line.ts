/**
 * An HTTP relay in front of a service, whose faults a test scripts. It delays, cuts or drops answers, refuses with 429
 * and 503, and becomes unreachable for some time. All other answers pass unchanged.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** The fault of one request. `afterBytes` counts bytes of the answer's body, or of its head for `behead`. */
export type Fault =
  | { kind: "pass" }
  /** The connection closes before the service receives the request. */
  | { kind: "drop" }
  /** The service answers, but the client receives no byte. */
  | { kind: "lose" }
  /** The connection is reset (RST) after this many bytes. */
  | { kind: "reset"; afterBytes: number }
  /** The connection is closed normally (FIN) after this many bytes. */
  | { kind: "truncate"; afterBytes: number }
  /** The connection ends inside the answer's head after this many bytes. */
  | { kind: "behead"; afterBytes: number }
  | { kind: "delay"; ms: number }
  /** A refusal by the relay: with an envelope, or as a proxy's page. */
  | { kind: "refuse"; status: 429 | 503; retryAfter: string | null; page?: boolean };

export interface FaultLine {
  /** The service's URL through the relay. */
  baseUrl: string;
  /**
   * Sets the function that chooses the fault of each request by the request's number, counted from 0 since this call.
   */
  corrupt(faultFor: (place: number, body: string) => Fault): void;
  /** Refuses connections from now on and resets open ones. */
  die(): Promise<void>;
  /** Accepts connections at the same address again. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens a relay to `target` on a free local port. */
export async function startFaultLine(target: string): Promise<FaultLine> {
  const upstream = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  let faultFor: (place: number, body: string) => Fault = () => ({ kind: "pass" });
  let place = 0;

  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming);
    const fault = faultFor(place++, body.toString("utf8"));
    outgoing.on("error", () => undefined);
    await relay({ incoming, body, outgoing, fault, target, upstream }).catch(() => outgoing.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
  const die = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.resetAndDestroy();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    corrupt: (decide) => {
      place = 0;
      faultFor = decide;
    },
    die: async () => {
      if (server.listening) await die();
    },
    revive: async () => {
      if (!server.listening) await listen(port);
    },
    stop: async () => {
      upstream.destroy();
      if (server.listening) await die();
    },
  };
}

interface Relayed {
  incoming: IncomingMessage;
  body: Buffer;
  outgoing: ServerResponse;
  fault: Fault;
  target: string;
  upstream: Agent;
}

async function relay(relayed: Relayed): Promise<void> {
  const { outgoing, fault } = relayed;
  if (fault.kind === "drop") return void outgoing.destroy();
  if (fault.kind === "refuse") return refuse(outgoing, fault);
  if (fault.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.ms));
  const answer = await answerOf(relayed);
  if (fault.kind === "lose") return void outgoing.destroy();
  if (fault.kind === "behead") return behead(outgoing, answer, fault.afterBytes);
  const { "transfer-encoding": _, connection: __, ...headers } = answer.headers;
  const bytes = answer.body;
  outgoing.writeHead(answer.status, { ...headers, "content-length": bytes.length });
  if (fault.kind !== "reset" && fault.kind !== "truncate") return void outgoing.end(bytes);
  const sent = bytes.subarray(0, Math.min(fault.afterBytes, Math.max(0, bytes.length - 1)));
  await new Promise<void>((resolve) => {
    if (sent.length === 0) outgoing.flushHeaders();
    if (sent.length === 0) resolve();
    else outgoing.write(sent, () => resolve());
  });
  if (fault.kind === "reset") outgoing.socket?.resetAndDestroy();
  else outgoing.socket?.destroySoon();
}

function behead(outgoing: ServerResponse, { status, headers }: Answered, afterBytes: number): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} x\r\n${lines.join("")}`;
  outgoing.socket?.write(head.slice(0, afterBytes));
  outgoing.socket?.destroySoon();
}

interface Answered {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

function answerOf({ incoming, body, target, upstream }: Relayed): Promise<Answered> {
  const { host: _, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const asked = request(
      target + (incoming.url ?? "/"),
      { method: incoming.method ?? "GET", headers, agent: upstream },
      (response) => {
        bodyOf(response).then(
          (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes }),
          reject,
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

function refuse(
  outgoing: ServerResponse,
  { status, retryAfter, page = false }: Extract<Fault, { kind: "refuse" }>,
) {
  const text = page
    ? "<html><body>busy</body></html>"
    : JSON.stringify({ code: status, message: "busy [line]", data: null });
  outgoing.writeHead(status, {
    "content-type": page ? "text/html" : "application/json",
    ...(retryAfter === null ? {} : { "retry-after": retryAfter }),
    ...(page ? {} : { "x-reason": status === 503 ? "slot_busy" : "rate_limited" }),
  });
  outgoing.end(text);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
