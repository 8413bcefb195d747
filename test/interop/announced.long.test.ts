/**
 * Tests webhook notices of changes to a day (contract 9). When a notice arrives, pages already show the new state and
 * `data_changes` lists the change. The service caches days in memory, as a deployment does.
 */
import { rmSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { deliver } from "../support/deliveries.ts";
import { commandsOf, QUICK } from "../support/edgetape.ts";
import { account, asOperator, loadWeekdays } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

const DAY = "20260312";
const folder = testFolder("edgetape-announced-");

/** For each notice, its event and what a caller saw when it arrived: the state of the pages, and the last change. */
let seen: string[];

const receiver = await startReceiver({
  onReceived: async ({ event }) => void seen.push(await view(String(event))),
});
const service = await testService({
  nowAt: "2026-03-12T20:40:00+08:00",
  settings: { DAY_CACHE_MS: "1000", WEBHOOK_URL: receiver.url },
});
await loadWeekdays(service, "20260301", "20260430");
const apikey = (await account(service, { plan: "flagship" })).key;
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  rmSync(`${folder}.edgetape`, { recursive: true, force: true });
});
beforeEach(() => {
  seen = [];
});

async function view(event: string): Promise<string> {
  const page = await service.post(
    orderHistory({ apikey, params: { symbol: "600519", tradedate: DAY, page_size: 1 } }),
  );
  const { envelope } = await service.post({ apiname: "data_changes", apikey, params: {} });
  const changes = envelope.data?.changes as { kind: string; revision: number }[];
  const last = changes.at(-1);
  const served = page.reason ?? `revision ${page.headers["x-revision"]}`;
  return `${event}: pages ${served}, told ${last?.kind} ${last?.revision}`;
}

/** Delivers new content and runs `nightly`. */
async function evening(seed: string): Promise<void> {
  deliver(folder, DAY, 2_000, { seed });
  const { run } = commandsOf(service, { EDGETAPE_WEBHOOK_URL: receiver.url });
  const ended = await run`nightly ${folder} --date ${DAY} ${QUICK}`;
  expect(ended.stderr + ended.stdout).toContain("is served as revision");
}

describe("a webhook notice", () => {
  it("from nightly arrives only after pages show the new revision", async () => {
    await evening("first");
    await evening("second");
    expect(seen).toEqual([
      "nightly.published: pages revision 1, told published 1",
      "nightly.published: pages revision 2, told published 2",
    ]);
  });

  it("from the scheduled task arrives only after pages stop showing the withdrawn day", async () => {
    expect(await view("before")).toBe("before: pages revision 2, told published 2");
    await asOperator(service, "POST", `/admin/days/${DAY}/withdraw`, { revision: 2 });
    await asOperator(service, "POST", "/admin/doctor/scheduled", { tell: true });
    expect(seen).toEqual(["scheduled.findings: pages withdrawn, told withdrawn 2"]);
  });
});
