import { describe, expect, it } from "vitest";
import { Client } from "../../../src/client/typescript/index.ts";
import { PlainSha256, sha256 } from "../../../src/client/typescript/sha256.ts";

describe("the TypeScript client inside workerd", () => {
  it("reads pages, queues requests and computes hashes as it does in Node", async () => {
    const page = (items: unknown[][], next_cursor: string | null) => ({
      code: 200,
      message: "success",
      data: {
        fields: ["time"],
        items,
        tradedate: "20260311",
        page_size: 1,
        next_cursor,
        has_more: next_cursor !== null,
      },
    });
    const answers = [page([["093000000"]], "v3.next"), page([["093000010"]], null)];
    const bodies: unknown[] = [];
    const client = new Client({
      key: "k",
      baseUrls: "https://a.test",
      fetch: async (_url, init) => {
        bodies.push(JSON.parse(String(init.body)).params.cursor);
        return Response.json(answers.shift());
      },
    });
    expect(await client.orders({ symbol: "600519", date: "20260311", fields: ["time"] }).toArray()).toEqual([
      { time: "093000000" },
      { time: "093000010" },
    ]);
    expect(bodies).toEqual([undefined, "v3.next"]);

    const bytes = new TextEncoder().encode("edgetape");
    const hashes = [sha256(), new PlainSha256()].map((hash) => {
      hash.update(bytes);
      return hash.digest();
    });
    const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    expect(new Set(hashes)).toEqual(
      new Set([[...expected].map((byte) => byte.toString(16).padStart(2, "0")).join("")]),
    );
  });
});
