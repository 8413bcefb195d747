/** Tests `edgetape account`, `key`, `plan`, `subscription`, `usage`, `token`, `audit` and `explain` with a service. */
import { describe, expect, it, vi } from "vitest";
import type { Invite } from "../../src/admin/wire.ts";
import { oneOrder } from "../support/builders.ts";
import { ownForm } from "../support/console.ts";
import { commandsOf } from "../support/edgetape.ts";
import { call } from "../support/http-client.ts";
import { loadWeekdays, publish } from "../support/operator.ts";
import { testService } from "../support/test-service.ts";

const DATE = "20260311";

// With this setting, usage is written into the catalog immediately.
const service = await testService({ settings: { USAGE_EVERY_MS: "1" } });
await loadWeekdays(service, "20260301", "20260331");
await publish(service, oneOrder(DATE));

const { run, done } = commandsOf(service);

const ask = (apikey: string, params: object = {}) =>
  service.post({
    apiname: "level2_order_history",
    apikey,
    params: { symbol: "600519", tradedate: DATE, ...params },
  });

describe("edgetape account", () => {
  it("shows a customer's plan, today's remaining quota and the results of the last requests", async () => {
    await done`account create c-17 --contact c17@example.com`;
    await done`subscription extend c-17 --plan professional --by 30d`;
    const [key = ""] = (await done`key issue c-17 --name laptop`).split("\n");
    const served = await ask(key);
    await ask(key, { format: "parquet" });
    const refused = await ask(key, { tradedate: "20250106" });

    const shown = await done`account show c-17`;
    expect(shown).toContain("plan in force: professional, ends 2026-04-11T10:");
    expect(shown).toMatch(/^contact +c17@example\.com$/m);
    expect(shown).toMatch(/^professional +2026-03-12T10:\S+ +2026-04-11T10:\S+$/m);
    expect(shown).toMatch(/^level2_order_history +20260211 +20260312$/m);
    expect(shown).toMatch(/^level2_order_history requests +2 +0 +unlimited +unlimited +8\d\d min$/m);
    expect(shown).toMatch(/^level2_order_history Parquet files +1 +0 +30 +29 +8\d\d min$/m);
    expect(shown).toMatch(
      new RegExp(
        `^${served.headers["x-request-id"]} .* level2_order_history +200 +success +600519 +${DATE} +1$`,
        "m",
      ),
    );
    expect(shown).toMatch(new RegExp(`^${refused.headers["x-request-id"]} .* 403 +outside_window`, "m"));
    expect(shown).toMatch(/^key_\S+ +et_\S{5} +laptop +2026-03-12T\S+ +in force$/m);
    expect(shown).toMatch(/^key id +begins +name +last used \(to the hour\) +state$/m);
    expect(await done`account list`).toMatch(/^account .* last used \(to the hour\) +contact$/m);
    expect(shown).not.toContain(key);
    const json = JSON.parse(await done`account show c-17 --json`);
    expect(json).toMatchObject({
      accountId: "c-17",
      standing: { slot: null, info: { plan: "professional" } },
    });
  });

  it("adds credited Parquet files, reports a slot that is already free, and lists accounts whose plan ends soon", async () => {
    expect(await done`account credit c-17 --files 1`).toMatch(
      /^level2_order_history Parquet files +1 +1 +30 +30 /m,
    );
    expect((await run`account credit c-17`).status).toBe(2);
    expect(await done`account free c-17`).toBe("The slot was already free.\n");
    await done`account create c-18`;
    await done`subscription weekly c-18`;
    const soon = await done`account list --expiring 8d`;
    expect(soon).toMatch(/^c-18 +weekly +2026-03-19T10:/m);
    expect(soon).not.toContain("c-17");
    expect(await done`account list --search C17@`).toContain("c-17");
    expect((await run`account list --expiring soon`).status).toBe(2);
  });

  it("sets an account's own limits, including unlimited ones", async () => {
    const limits = await done`account limits c-17 --files 5 --requests unlimited`;
    expect(limits).toContain("daily limits  requests unlimited, files 5");
    const requestsBack = await done`account limits c-17 --requests plan`;
    expect(requestsBack).toContain("daily limits  requests the plan's, files 5");
    expect((await run`account limits c-17`).status).toBe(2);
    expect(await done`account limits c-17 --files plan`).toContain("files the plan's");
  });

  it("changes the note, and keeps the values that are not given", async () => {
    const edited = await done`account edit c-17 --note ${"calls on Mondays"}`;
    expect(edited).toMatch(/^contact +c17@example\.com$/m);
    expect(edited).toMatch(/^note +calls on Mondays$/m);
    expect((await run`account edit c-17`).status).toBe(2);
  });

  it("disables an account after a confirmation, and enables it again", async () => {
    const [key = ""] = (await done`key issue c-18`).split("\n");
    expect((await run`account disable c-18`).status).toBe(2);
    await done`account disable c-18 --yes`;
    expect((await ask(key)).reason).toBe("account_disabled");
    expect(await done`account enable c-18`).not.toContain("disabled");
  });
});

describe("edgetape account invite", () => {
  it("prints a link that signs in to the console and is valid for a day, and refuses other durations", async () => {
    const invited: Invite = JSON.parse(await done`account invite c-17 --json`);
    expect(Date.parse(invited.expiresAt) - service.nowMs()).toBeGreaterThan(23.9 * 3_600_000);
    expect((await call(invited.url, { method: "POST", headers: ownForm(service) })).status).toBe(303);
    const [link = "", advice] = (await done`account invite c-17 --valid 7d`).split("\n");
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/invite\/[0-9A-Za-z]{32}$/);
    expect(advice).toContain("2026-03-19");
    expect((await run`account invite unknown`).stderr).toContain("no account unknown");
    expect((await run`account invite c-17 --valid 8d`).status).toBe(1);
    expect((await run`account invite c-17 --valid soon`).status).toBe(2);
  });
});

describe("edgetape subscription", () => {
  it("removes plans only after a confirmation, but sets a first plan without confirmation", async () => {
    const year = ["--start", "2026-01-01", "--end", "2027-01-01"];
    const set = ["subscription", "set", "c-19", "--plan", "flagship", ...year];
    await done`account create c-19`;
    expect(await done`${set}`).toMatch(/^flagship +2026-01-01/m);
    const unasked = await run`${set} --plan trial`;
    expect(unasked.status).toBe(2);
    expect(unasked.stderr).toMatch(/^edgetape: Remove these plans of c-19: flagship from .*--yes\.\n$/);
    expect(await done`account show c-19`).toMatch(/^flagship +2026-01-01/m);
    expect(await done`${set} --plan trial --keep`).toMatch(/^flagship +2026-01-01/m);
    expect(await done`${set} --plan trial --yes`).not.toContain("flagship");
  });
});

describe("edgetape key", () => {
  it("lists the keys of an account, and replaces a key while the old key still works", async () => {
    const [old = ""] = (await done`key issue c-17 --name server`).split("\n");
    const keyId = /^(\S+) .*server/m.exec(await done`key list c-17`)?.[1] ?? "";
    const [fresh = "", , told = ""] = (await done`key roll ${keyId} --overlap 2d`).split("\n");
    expect(told).toMatch(new RegExp(`^The old key ${keyId} works until 2026-03-14T10:`));
    expect((await ask(old)).envelope.code).toBe(200);
    expect((await ask(fresh)).envelope.code).toBe(200);
    expect(await done`key list c-17`).toMatch(new RegExp(`^${keyId} .* until 2026-03-14T`, "m"));
    expect((await run`key roll ${keyId} --overlap 8d`).status).toBe(1);
    expect((await run`key revoke ${keyId}`).status).toBe(2);
  });
});

describe("edgetape plan", () => {
  it("shows every plan's limits and sets the limits of one plan", async () => {
    const list = await done`plan list`;
    expect(list).toMatch(/^trial +100 +unlimited$/m);
    for (const plan of ["free", "standard"]) {
      expect(list).toMatch(new RegExp(`^${plan} +no tick history +no tick history$`, "m"));
    }
    expect(await done`plan show`).toBe(list);
    expect(await done`plan set trial --requests 7 --files unlimited`).toMatch(/^trial +7 +unlimited$/m);
    expect((await run`plan set gold --requests 7 --files 1`).status).toBe(2);
    await done`plan set trial --requests 100 --files unlimited`;
  });
});

describe("edgetape usage", () => {
  it("shows the sum of an account's requests, as a table and as CSV", async () => {
    await done`account create c-billed`;
    await done`subscription extend c-billed --plan flagship --by 30d`;
    const [key = ""] = (await done`key issue c-billed`).split("\n");
    const answers = [await ask(key), await ask(key, { page_size: 1 }), await ask(key, { format: "parquet" })];
    const bytes = answers.reduce((sum, answer) => sum + answer.bytes.length, 0);
    await ask(key, { tradedate: "20990101" });

    const billed = `c-billed,level2_order_history,3,1,${bytes}`;
    await expect.poll(() => done`usage --month 202603 --csv`, { timeout: 300_000 }).toContain(billed);
    const lines = (await done`usage --month 202603 --csv`).trimEnd().split("\n");
    expect(lines[0]).toBe("account,service,requests,files,bytes");
    expect(lines.filter((line) => line.startsWith("c-billed"))).toEqual([billed]);
    expect(await done`usage --month 202603`).toMatch(
      /^c-billed +level2_order_history +3 +1 +\S+ (?:kB|bytes)$/m,
    );
    const { usage } = JSON.parse(await done`usage --month 202603 --json`);
    expect(usage).toContainEqual({
      accountId: "c-billed",
      service: "level2_order_history",
      requests: 3,
      files: 1,
      bytes,
    });
    expect(await done`usage --month 202602`).toBe("no requests in 202602\n");
    const current = await run`usage`;
    expect(current.status).toBe(0);
    expect(current.stderr).toMatch(
      /^\d{6} is not over, and requests of the last ten minutes may be missing\.$/m,
    );
  }, 600_000);
});

describe("edgetape token and audit", () => {
  it("issue a named token, show its name in the audit, and revoke it", async () => {
    const [token = ""] = (await done`token issue Ann --scope admin`).split("\n");
    await done`account create c-1 --token ${token}`;
    expect(await done`audit --actor Ann`).toMatch(/operator +Ann +account\.create +c-1 +$/m);
    expect(await done`audit --subject Ann`).toMatch(/bootstrap +ADMIN_TOKEN +token\.issue +Ann/);
    const list = await done`token list`;
    expect(list).toMatch(/^Ann +admin +eta_\S{4} .* in force$/m);
    expect(list).not.toContain(token);
    const [reader = ""] = (await done`token issue Rea`).split("\n");
    expect((await run`account create c-2 --token ${reader}`).stderr).toContain(
      "scope read; the request needs the scope admin",
    );
    expect((await run`token issue Bob --scope root`).status).toBe(2);
    expect((await run`token revoke Ann`).status).toBe(2);
    expect(await done`token revoke Ann --yes`).toMatch(/^The token of Ann was revoked at 2026-/);
    const refused = await run`days --token ${token}`;
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("operator's token");
    expect(JSON.parse(await done`audit --action token --json`).entries).toHaveLength(3);
  });
});

describe("edgetape explain", () => {
  it("explains a past request by its id, and says why a given request would be refused", async () => {
    await done`account create c-9`;
    const [key = ""] = (await done`key issue c-9`).split("\n");
    const request = { apiname: "level2_order_history", params: { symbol: "600519" } };
    const refused = await service.post({ ...request, apikey: key });
    const id = String(refused.headers["x-request-id"]);
    const told = await vi.waitFor(() => done`explain ${id}`, { timeout: 60_000 });
    expect(told).toMatch(/^account c-9, key key_/);
    expect(told).toContain(`Request ${id}`);
    expect(told).toContain("403 (plan_missing)");
    expect(told).not.toContain(key);
    const unknown = await run`explain nothing`;
    expect(unknown).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("Request nothing is unknown"),
    });

    for (const who of [
      ["--key", key],
      ["--account", "c-9"],
    ]) {
      const judged = await done`explain ${who} --request ${JSON.stringify(request)}`;
      expect(judged).toMatch(/^3 +key +passed +account c-9/m);
      expect(judged).toMatch(/^6 +plan and window +refused/m);
      expect(judged).toContain("code 403 (plan_missing), HTTP 200");
    }
    expect((await run`explain`).status).toBe(2);
  });
});
