/** A TCP relay in front of the service that cuts connections after a given number of bytes. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  /** The service's URL through the relay. */
  baseUrl: string;
  /** Returns the number of cuts so far. */
  cuts(): number;
  /**
   * Cuts the next connections, each after one of these numbers of answer bytes, in order. No connection after them is
   * cut.
   */
  cutAfter(bytes: number[]): void;
  /** Closes the open connections, as networks do after a long pause. */
  dropIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens a relay to `baseUrl` on a free local port. */
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
        // The proxy handles one piece at a time, so that no byte beyond the cut is sent.
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
