/** A line that breaks: a TCP relay in front of the service that cuts connections after so many bytes. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  /** The service's address through the relay. */
  baseUrl: string;
  /** Cuts made so far. */
  cuts(): number;
  /** Cut the next connections after these numbers of answer bytes, one after the other; then none. */
  cutAfter(bytes: number[]): void;
  /** Closes the connections that are open, as a line does that was quiet for long. */
  dropIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens a relay to `baseUrl` on a free port of this machine. */
export async function startCuttingProxy(baseUrl: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(baseUrl);
  const plan: number[] = [];
  const sockets = new Set<Socket>();
  let cuts = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => undefined);
    }
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let left = plan.shift() ?? Number.POSITIVE_INFINITY;
    upstream.on("data", (chunk: Buffer) => {
      if (chunk.length < left) {
        left -= chunk.length;
        // One piece at a time: what is cut off must not have been sent ahead.
        upstream.pause();
        client.write(chunk, () => upstream.resume());
        return;
      }
      cuts++;
      upstream.pause();
      client.write(chunk.subarray(0, left), end);
    });
    client.pipe(upstream);
    upstream.on("end", () => client.end());
    client.on("close", end);
    upstream.on("close", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    cutAfter: (bytes) => void plan.push(...bytes),
    dropIdle: async () => {
      const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
