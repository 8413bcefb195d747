import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { generateKey, hashKey } from "../../../src/access/key.ts";
import { createApp } from "../../../src/app.ts";
import { createAccount } from "../../../src/catalog/accounts.ts";
import { addKey } from "../../../src/catalog/keys.ts";
import type { Env } from "../../../src/env.ts";

const deployment = env as unknown as Env;
const { DB } = deployment;

/** Posts a request whose body is delayed until `meanwhile` has run. */
async function sentSlowly(body: object, meanwhile: () => Promise<void>): Promise<Response> {
  const slow = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await meanwhile();
      controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
      controller.close();
    },
  });
  const ctx = createExecutionContext();
  const request = new Request("https://service.test/api", { method: "POST", body: slow });
  const answer = await createApp().fetch(request, deployment, ctx);
  await waitOnExecutionContext(ctx);
  return answer;
}

/** Returns a key that expires `lifeMs` from now. */
async function keyFor(lifeMs: number): Promise<string> {
  const by = { actor: { kind: "operator", name: "test" } as const, nowMs: Date.now() };
  const accountId = `slow-${crypto.randomUUID()}`;
  await createAccount(DB, { accountId, contact: "", note: "" }, by);
  const apikey = generateKey();
  const stored = { keyId: `key-${accountId}`, sha256: await hashKey(apikey), firstCharacters: "" };
  await addKey(DB, { ...stored, accountId, name: "", expiresAtMs: Date.now() + lifeMs }, by);
  return apikey;
}

it("serveApi refuses a key that expires while the request's body is still arriving", async () => {
  const lifeMs = 500;
  const apikey = await keyFor(lifeMs);
  const answer = await sentSlowly({ apiname: "account_info", apikey, params: {} }, () =>
    scheduler.wait(2 * lifeMs),
  );
  expect(answer.headers.get("X-Reason")).toBe("key_revoked");
});
