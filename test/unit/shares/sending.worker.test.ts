/** Tests downloads: what is sent, how many may run at the same time, and when a slow client is disconnected. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { FileVersion } from "../../../src/catalog/files.ts";
import type { Env } from "../../../src/env.ts";
import { MAX_IN_ALL, MAX_PER_SHARE, type Sending, sendRange } from "../../../src/shares/sending.ts";

const { PACKS } = env as unknown as Env;

const SIZE = 20_000_000;
/** The default length, in bytes, of a range that a client leaves unread. */
const UNREAD = 200_000;
const bytes = new Uint8Array(SIZE).map((_, at) => (at * 31 + (at >> 12)) & 255);
let version: FileVersion;
beforeAll(async () => {
  const etag = (await PACKS.put("sending/file", bytes))?.etag;
  version = { objectKey: "sending/file", etag, tradedate: "20260311" } as unknown as FileVersion;
});

let shares = 0;
const newShare = () => `share${++shares}`;

interface Client {
  body: ReadableStream<Uint8Array>;
  ended: Promise<unknown>;
  goAway(): void;
}

async function begin(shareId: string, range = { offset: 0, length: UNREAD }, over: Partial<Sending> = {}) {
  const aborting = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const body = await sendRange(
    {
      bucket: PACKS,
      shareId,
      accountId: `account of ${shareId}`,
      requestId: "request",
      signal: aborting.signal,
      waitUntil: (work) => {
        ended = work;
      },
      ...over,
    },
    version,
    range,
  );
  return body === null ? null : ({ body, ended, goAway: () => aborting.abort() } satisfies Client);
}

async function many(count: number, shareId: string): Promise<Client[]> {
  const begun = await Promise.all(Array.from({ length: count }, () => begin(shareId)));
  return begun.filter((client) => client !== null);
}

async function leave(clients: Client[]): Promise<void> {
  for (const client of clients) client.goAway();
  await Promise.all(clients.map(({ ended }) => ended));
}

const whole = async (body: ReadableStream) => new Uint8Array(await new Response(body).arrayBuffer());

describe("the download of a range", () => {
  it.each([
    ["all", 0, SIZE],
    ["one byte", SIZE - 1, 1],
    ["exactly a window", 5, 8 * 1024 * 1024],
    ["a byte more than two windows", 7, 2 * 8 * 1024 * 1024 + 1],
    ["less than the first bytes", 100, 10],
  ])("contains exactly the requested bytes: %s", async (_, offset, length) => {
    const client = await begin(newShare(), { offset, length });
    const sent = await whole((client as Client).body);
    expect(sent.length).toBe(length);
    expect(Buffer.compare(sent, bytes.subarray(offset, offset + length))).toBe(0);
    await client?.ended;
  });

  it("reports at its end how many bytes were sent: all, or the windows read before the client left", async () => {
    const counts: number[] = [];
    const onEnd = (bytesSent: number) => counts.push(bytesSent);
    const range = { offset: 3, length: SIZE - 3 };
    const client = (await begin(newShare(), range, { onEnd })) as Client;
    await whole(client.body);
    await client.ended;
    const leaving = (await begin(newShare(), range, { onEnd })) as Client;
    const reader = leaving.body.getReader();
    for (let read = 0; read <= 8 * 1024 * 1024; ) read += (await reader.read()).value?.length ?? SIZE;
    leaving.goAway();
    await leaving.ended;
    expect(counts).toEqual([SIZE - 3, 8 * 1024 * 1024]);
  });

  it("is refused when the object ends before the range does", async () => {
    await expect(begin(newShare(), { offset: SIZE - 10, length: 20 })).rejects.toThrow("truncated");
  });
});

describe("the number of concurrent downloads", () => {
  it("is limited for each share separately", async () => {
    const shareId = newShare();
    const clients = await many(MAX_PER_SHARE + 3, shareId);
    expect(clients).toHaveLength(MAX_PER_SHARE);
    const other = await many(1, newShare());
    expect(other).toHaveLength(1);
    await leave([...clients, ...other]);
    const again = await many(MAX_PER_SHARE, shareId);
    expect(again).toHaveLength(MAX_PER_SHARE);
    await leave(again);
  });

  it("is limited for all shares of an account together", async () => {
    const accountId = "of many shares";
    const clients: Client[] = [];
    for (let n = 0; n < 2 * MAX_PER_SHARE; n++) {
      const client = await begin(n < MAX_PER_SHARE ? "its first" : "its second", undefined, { accountId });
      if (client !== null) clients.push(client);
    }
    expect(clients.length).toBeGreaterThan(MAX_PER_SHARE);
    expect(clients.length).toBeLessThan(2 * MAX_PER_SHARE);
    const other = await many(1, newShare());
    expect(other).toHaveLength(1);
    await leave([...clients, ...other]);
  });

  it("is limited for all shares together", async () => {
    const clients: Client[] = [];
    for (let n = 0; n * MAX_PER_SHARE <= MAX_IN_ALL; n++)
      clients.push(...(await many(MAX_PER_SHARE, newShare())));
    expect(clients).toHaveLength(MAX_IN_ALL);
    expect(await begin(newShare())).toBeNull();
    await leave(clients);
  });

  it.each(["read to the end", "cancelled by its reader", "left by its client"])(
    "decreases when a body is %s",
    async (how) => {
      const shareId = newShare();
      const clients = await many(MAX_PER_SHARE, shareId);
      expect(await begin(shareId)).toBeNull();
      const [first] = clients.splice(0, 1);
      if (how === "read to the end") await whole((first as Client).body);
      else if (how === "cancelled by its reader") await first?.body.cancel();
      else first?.goAway();
      await first?.ended;
      const next = await begin(shareId);
      expect(next).not.toBeNull();
      await leave([...clients, next as Client]);
    },
  );

  it("excludes downloads that could not begin", async () => {
    const shareId = newShare();
    for (let n = 0; n <= MAX_PER_SHARE; n++) {
      await expect(begin(shareId, { offset: SIZE - 10, length: 20 })).rejects.toThrow();
    }
    const client = await begin(shareId);
    expect(client).not.toBeNull();
    await leave([client as Client]);
  });
});

describe("a client that does not read a window within the timeout", () => {
  it("is disconnected, whether it has read nothing or part of the window", async () => {
    const shareId = newShare();
    for (const takes of [0, 100_000]) {
      const client = (await begin(shareId, undefined, { windowMs: 50 })) as Client;
      const reader = client.body.getReader();
      for (let taken = 0; taken < takes; ) taken += (await reader.read()).value?.length ?? takes;
      await client.ended;
      await expect(
        (async () => {
          while (!(await reader.read()).done);
        })(),
      ).rejects.toThrow();
    }
  });
});
