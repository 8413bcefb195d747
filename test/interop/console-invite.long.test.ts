/** `edgetape account invite`: the operator's command and the use of its link. */
import { describe, expect, it } from "vitest";
import type { Invite } from "../../src/admin/wire.ts";
import { ownForm } from "../support/console.ts";
import { commandsOf } from "../support/edgetape.ts";
import { call } from "../support/http-client.ts";
import { account } from "../support/operator.ts";
import { testService } from "../support/test-service.ts";

const service = await testService();
const { run } = commandsOf(service);

describe("edgetape account invite", () => {
  it("prints a sign-in link that is valid for a day by default", async () => {
    const { accountId } = await account(service, { plan: "flagship" });
    const { status, stdout } = await run`account invite ${accountId} --json`;
    expect(status).toBe(0);
    const invited = JSON.parse(stdout) as Invite;
    expect(Date.parse(invited.expiresAt) - service.nowMs()).toBeGreaterThan(23.9 * 3_600_000);
    expect((await call(invited.url, { method: "POST", headers: ownForm(service) })).status).toBe(303);
    const lines = (await run`account invite ${accountId} --valid 7d`).stdout.split("\n");
    expect(lines[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/invite\/[0-9A-Za-z]{32}$/);
    expect(lines[1]).toContain("2026-03-19");
  });

  it("refuses an unknown account, and a validity that is too long or not a duration", async () => {
    expect((await run`account invite unknown`).stderr).toContain("no account unknown");
    const { accountId } = await account(service, {});
    expect((await run`account invite ${accountId} --valid 8d`).status).toBe(1);
    expect((await run`account invite ${accountId} --valid soon`).status).toBe(2);
  });
});
