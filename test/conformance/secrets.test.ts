/**
 * Tests that no secret is stored in plain text. Uses every operation that issues a secret, stops the service, and
 * searches its database, Durable Object storage, packs and log byte for byte.
 */
import { describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { inviteTo, signIn } from "../support/console.ts";
import { basic, onDrive, shareOf } from "../support/drive.ts";
import { ownFile, publishFiles } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { IssuedSecrets } from "../support/issued-secrets.ts";
import { account, asOperator, loadWeekdays, publish } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { ADMIN_TOKEN, startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";

const IMPORTED_KEY = "an-existing-customers-key-of-another-form-0042";
const EXTERNAL_PASSWORD = "password-of-a-drive-elsewhere-7731";

const SHARE_SECRET = "share-secret-of-a-deployment-that-is-searched";

const folder = testFolder("edgetape-secrets-");
const service = await startService({ persistDir: folder, settings: { SHARE_SECRET: `1:${SHARE_SECRET}` } });

/** Issues keys, an operator's token and an external password. Returns an account with two keys, one of them rolled. */
async function handOut() {
  await loadWeekdays(service, "20260101", "20261231");
  const records = [order("093000000"), order("093000010")];
  await publish(service, day({ tradedate: "20260311", securities: [security("600519", records)] }));
  await publishFiles(service, ownFile("20260311", "trades"));
  const owner = await account(service, { plan: "flagship", keys: 2 });
  await asOperator(service, "POST", `/admin/keys/${owner.keys[1]?.keyId}/roll`, {});
  await asOperator(service, "POST", "/admin/tokens", { name: "Ann" });
  await asOperator(service, "POST", "/admin/keys/import", {
    rows: [
      {
        key: IMPORTED_KEY,
        account: "old",
        plan: "trial",
        start: 1e12,
        end: Math.floor(service.nowMs() + 1e9),
      },
    ],
  });
  await asOperator(service, "PUT", "/admin/external/level2/2025", {
    firstDay: "20250101",
    lastDay: "20251231",
    fileCount: 1,
    sizeBytes: 1,
    link: {
      url: "https://drive.example/x",
      password: EXTERNAL_PASSWORD,
      expires: Math.floor(service.nowMs() + 1e9),
    },
  });
  service.secrets.add(IMPORTED_KEY, EXTERNAL_PASSWORD, Buffer.from(EXTERNAL_PASSWORD).toString("base64"));
  service.secrets.add(ADMIN_TOKEN, SHARE_SECRET);
  return owner;
}

/** Uses secrets in valid and invalid requests, puts keys into wrong places, and issues a share and sign-in links. */
async function use(owner: Awaited<ReturnType<typeof handOut>>): Promise<void> {
  const params = { symbol: "600519", tradedate: "20260311" };
  for (const apikey of [owner.key, IMPORTED_KEY, `${owner.key}x`]) {
    await service.post(orderHistory({ apikey, params }));
    await service.post(orderHistory({ apikey, params: { ...params, symbol: owner.key } }));
    await service.post({ apiname: owner.key, apikey, params: { [owner.key]: owner.key } });
    await service.post({ ...orderHistory({ apikey, params }), apikey: [apikey] });
    await service.post(`{"apikey": "${apikey}"`);
    await pasteEverywhere(apikey);
  }
  await call(`${service.baseUrl}/${owner.key}?apikey=${owner.key}`, { method: "GET" });
  await service.admin("GET", `/admin/accounts/${owner.key}`);
  const share = await shareOf(service, owner.key);
  service.secrets.add(share.password);
  await onDrive(share, "20260311/", {});
  await onDrive(share, `${share.password}`, { headers: basic("unknown", share.password) });
  await call(`${service.baseUrl}/s/${share.password}/`, { method: "GET" });
  const holder = await signIn(service, owner.accountId);
  await holder.ask("GET", "/console/keys");
  service.secrets.add(holder.cookie.split("=")[1] ?? "");
  service.secrets.add((await inviteTo(service, owner.accountId)).split("/").at(-1) ?? "");
}

/** Puts a key into every parameter of a request. No answer may contain the key's first characters. */
async function pasteEverywhere(apikey: string): Promise<void> {
  const params = { symbol: "600519", tradedate: "20260311" };
  const cutShort = apikey.padStart(60, "x");
  const answers = [
    ...[apikey, cutShort, `${apikey},${apikey}`].flatMap((value) => [
      ...["symbol", "tradedate", "format", "start_time", "end_time", "page_size", "cursor"].map((name) =>
        orderHistory({ apikey, params: { ...params, [name]: value } }),
      ),
      orderHistory({ apikey, params, fields: value }),
      orderHistory({ apikey, params: { ...params, [value]: 1 } }),
      { apiname: "file_download", apikey, params: { data_type: value, year: value } },
    ]),
    { apiname: apikey, apikey, params },
  ].map((body) => service.post(body));
  for (const answer of await Promise.all(answers)) expect(answer.text).not.toContain(apikey.slice(3, 15));
}

describe("the secrets of a deployment (contract 8.4)", () => {
  it("appear in no table, object, pack or log line after all of them were issued and used", async () => {
    const owner = await handOut();
    await use(owner);
    expect(service.secrets.size).toBeGreaterThanOrEqual(9);
    const logged = service.secrets.in(service.logs.join("\n"));
    await service.stop();
    expect(logged).toEqual([]);
    expect(await service.secrets.inFiles(folder)).toEqual([]);
    // Proves that the search finds stored texts.
    const stored = new IssuedSecrets();
    stored.add(owner.accountId);
    expect(await stored.inFiles(folder)).not.toEqual([]);
  });
});
