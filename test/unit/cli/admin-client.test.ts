import type { RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AdminClient } from "../../../src/cli/admin-client.ts";
import { callOf } from "../../../src/cli/command.ts";
import { listening } from "../../support/listening.ts";
import { fakeService } from "./fake-service.ts";

const answer = z.strictObject({ done: z.boolean() });
const cutConnection = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });

describe("a request to the admin API", () => {
  it("carries the token, the CLI's user agent and JSON", async () => {
    const { client, asked } = fakeService(() => ({ json: { done: true } }));
    expect(await client.post(answer, "/admin/accounts", { body: { a: 1 } })).toEqual({ done: true });
    expect(asked[0]?.path).toBe("/admin/accounts");
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer operator-token");
    expect(asked[0]?.headers.get("user-agent")).toBe("edgetape-cli");
    expect(asked[0]?.headers.get("content-type")).toBe("application/json");
    expect(asked[0]?.body).toBe('{"a":1}');
  });

  it("that may be repeated is sent again after a lost connection, with growing waits", async () => {
    const { client, asked, waits } = fakeService((_, count) =>
      count < 4 ? cutConnection() : { json: { done: true } },
    );
    expect(await client.put(answer, "/admin/calendar", { body: {} })).toEqual({ done: true });
    expect(asked).toHaveLength(4);
    expect(waits).toEqual([500, 1000, 2000]);
  });

  it("is sent again after 503, and fails after five tries", async () => {
    const { client, asked } = fakeService(() => ({ status: 503, json: { error: "Not now." } }));
    await expect(client.get(answer, "/admin/days?month=202601")).rejects.toThrow("Not now.");
    expect(asked).toHaveLength(5);
  });

  it("that must not be repeated is sent only once, even after a lost connection", async () => {
    const { client, asked } = fakeService(cutConnection);
    await expect(client.post(answer, "/admin/accounts")).rejects.toThrow(
      "https://api.example.com cannot be reached (ECONNRESET).",
    );
    expect(asked).toHaveLength(1);
  });

  it("is not repeated after a refusal, and fails with the service's message", async () => {
    const { client, asked } = fakeService(() => ({ status: 422, json: { error: "No such plan." } }));
    await expect(client.put(answer, "/admin/plans")).rejects.toThrow("No such plan.");
    expect(asked).toHaveLength(1);
  });

  it.each([
    [{ status: 401, text: "" }, "refused this operator's token"],
    [{ status: 404, text: "<html>" }, "answered with HTTP 404"],
    [{ status: 301, text: "" }, "answered with HTTP 301"],
    [{ status: 200, text: "<html>" }, "an unexpected body"],
    [{ status: 200, text: '{"done":1}' }, "an unexpected body"],
  ])("fails with one sentence after the answer %j", async (reply, sentence) => {
    const { client } = fakeService(() => reply);
    await expect(client.get(answer, "/admin/days")).rejects.toThrow(sentence);
  });
});

/** Starts a server with `listener` and a client that tolerates 200 ms of silence. */
async function silentService(listener: RequestListener) {
  let requests = 0;
  const server = await listening((request, response) => {
    requests++;
    listener(request, response);
  });
  const options = { baseUrl: server.url, token: "operator-token", silenceMs: 200 };
  const client = new AdminClient({ ...options, wait: async () => undefined });
  return { ...server, client, requests: () => requests };
}

describe("a slow or silent service", () => {
  it.each([
    ["accepts the request and never answers", (() => undefined) satisfies RequestListener],
    [
      "stops in the middle of an answer",
      ((_, response) => void response.write('{"done"')) satisfies RequestListener,
    ],
  ])("makes the command fail with one sentence, without a retry, when it %s", async (_, listener) => {
    await using service = await silentService(listener as RequestListener);
    await expect(service.client.get(answer, "/admin/days")).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+ accepted the request and did not answer within 1 s\./,
    );
    // On a busy machine the client can stop waiting before the server counts the request.
    await expect.poll(service.requests).toBe(1);
  });

  it("is not interrupted, however long it takes, while parts of its answer arrive", async () => {
    await using service = await silentService((_, response) => {
      const pieces = [...'{"done":true}', ""];
      const timer = setInterval(() => {
        const piece = pieces.shift();
        if (piece) response.write(piece);
        else if (pieces.length === 0) {
          clearInterval(timer);
          response.end();
        }
      }, 40);
    });
    expect(await service.client.get(answer, "/admin/days")).toEqual({ done: true });
  });

  it("gets more time to respond after a large body, or when the operation has a longer timeout", async () => {
    await using service = await silentService((request, response) => {
      request.resume().on("end", () => setTimeout(() => response.end('{"done":true}'), 500));
    });
    const body = new Uint8Array(32_000);
    expect(await service.client.put(answer, "/part", { body })).toEqual({ done: true });
    const long = { silenceMs: 5_000 };
    expect(await service.client.get(answer, "/admin/doctor", long)).toEqual({ done: true });
    await expect(service.client.get(answer, "/admin/days")).rejects.toThrow("did not answer");
  });
});

describe("the service's URL", () => {
  it("is refused when it is invalid, and the message does not show the token", () => {
    expect(() => callOf({ url: "api.example.com", token: "secret-token" }).client).toThrow(
      /must begin with http/,
    );
    expect(() => callOf({ url: "ftp://x", token: "secret-token" }).client).toThrow(/^(?!.*secret-token)/);
  });
});
