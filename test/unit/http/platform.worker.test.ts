/** Properties of the platform's streams, decoder and cryptography that `http` and the cursor rely on. */
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { readBody as readBodyResult } from "../../../src/http/envelope.ts";
import { readCursor as readCursorResult, signCursor } from "../../../src/orders/query/cursor.ts";
import { baringLater } from "../../support/result.ts";

const readBody = baringLater(readBodyResult);
const readCursor = baringLater(readCursorResult);

const post = (body: BodyInit) => new Request("http://edgetape.test/api", { method: "POST", body });

describe("the worker's code inside workerd", () => {
  it("reads a body up to the limit, accepts a byte order mark, and refuses invalid UTF-8", async () => {
    expect(await readBody(post('\ufeff{"a":1}'))).toEqual({ a: 1 });
    expect(await readBody(post(new Uint8Array([0xff])))).toMatchObject({ problem: "not_utf8" });
    expect(await readBody(post(`"${"x".repeat(65_534)}"`))).toMatchObject({ problem: "not_object" });
    expect(await readBody(post(`"${"x".repeat(65_535)}"`))).toMatchObject({ reason: "body_too_large" });
    expect(await readBody(post(new Blob(["x".repeat(2_000_000)]).stream()))).toMatchObject({
      reason: "body_too_large",
    });
    expect(await readBody(new Request("http://edgetape.test/api", { method: "POST" }))).toMatchObject({
      problem: "not_json",
    });
  });

  it("signs a cursor, reads it back, and refuses an altered cursor", async () => {
    const secret = "a-secret-of-the-test-a-secret-of-the-test";
    const content = {
      dataset: "orders" as const,
      tradedate: "20240102" as BeijingDate,
      symbol: "000001",
      market: "SZ" as const,
      start: 0,
      end: 240_000_000,
      revision: 1,
      packMark: "00f1e2d3c4b5",
      position: { time: 93_000_000, skip: 1 },
    };
    const text = await signCursor(secret, content);
    expect(await readCursor({ current: secret }, text, 0)).toEqual(content);
    const altered = text.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect(await readCursor({ current: secret }, altered, 0)).toEqual({ reason: "cursor_invalid" });
  });
});
