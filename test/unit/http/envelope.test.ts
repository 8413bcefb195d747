import { describe, expect, it } from "vitest";
import { parseEnvelope, readBody } from "../../../src/http/envelope.ts";
import { printedRandom } from "../../support/random.ts";
import { bare } from "../../support/result.ts";

const GOOD = { apiname: "level2_order_history", apikey: "et_x", params: { symbol: "600519" } };

function post(body: string | Uint8Array<ArrayBuffer> | ReadableStream | null): Request {
  return new Request("http://edgetape.test/api", { method: "POST", body, duplex: "half" } as RequestInit);
}

async function read(body: Parameters<typeof post>[0]) {
  const decoded = await readBody(post(body));
  return decoded.ok ? bare(parseEnvelope(decoded.value)) : decoded.refusal;
}

describe("readBody (contract 1.2)", () => {
  it("reads less than 2 MB of a body that does not end", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    expect(await read(endless)).toMatchObject({ reason: "body_too_large" });
    expect(pulled).toBeLessThan(2_000_000);
  });

  it("joins a body that arrives byte by byte, even if characters are split", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...GOOD, apikey: "钥匙💹" }));
    const trickle = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    expect(await read(trickle)).toMatchObject({ apikey: "钥匙💹" });
  });

  it("refuses the received part of a body whose sender disconnected, even if it is valid JSON", async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(JSON.stringify(GOOD)));
        controller.error(new Error("the line broke"));
      },
    });
    expect(await read(broken)).toEqual({ reason: "envelope_invalid", problem: "not_json" });
  });

  it.each([
    ["two byte order marks", "\ufeff\ufeff{}", "not_json"],
    ["an overlong encoding", new Uint8Array([0xc0, 0xbb]), "not_utf8"],
    ["an array nested 30,000 deep", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, "not_object"],
  ])("refuses %s", async (_, body, problem) => {
    expect(await read(body)).toEqual({ reason: "envelope_invalid", problem });
  });
});

describe("parseEnvelope (contract 1.2)", () => {
  it("keeps every parameter name, even __proto__ and the empty name", async () => {
    const envelope = await read('{"apiname":"a","apikey":"b","params":{"__proto__":{"x":1},"":2}}');
    expect("params" in envelope && Object.keys(envelope.params)).toEqual(["__proto__", ""]);
  });

  it("returns an envelope or a denial for 20,000 mutated bodies, and never throws", async () => {
    const random = printedRandom("mutated bodies");
    const original = new TextEncoder().encode(JSON.stringify({ ...GOOD, fields: "time,price" }));
    for (let round = 0; round < 20_000; round += 1) {
      const bytes = [...original];
      for (let edits = random.integer(1, 4); edits > 0; edits -= 1) {
        const inserted = random.chance(0.7) ? [random.integer(0, 255)] : [];
        bytes.splice(random.integer(0, bytes.length), random.integer(0, 3), ...inserted);
      }
      const result = await read(new Uint8Array(bytes));
      if ("reason" in result) expect(["envelope_invalid"]).toContain(result.reason);
      else expect(typeof result.apikey).toBe("string");
    }
  });
});
