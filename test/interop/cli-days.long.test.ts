/** `edgetape days`, `day` and `changes` as an operator runs them, against a running service. */
import { describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { commandsOf } from "../support/edgetape.ts";
import { loadWeekdays, publish } from "../support/operator.ts";
import { testService } from "../support/test-service.ts";

const DATE = "20260311";

const contentOf = (priceE4: number) =>
  day({
    tradedate: DATE,
    securities: [
      security("600519", [order("093000000", { priceE4 })]),
      security("000001", [order("093000000")]),
    ],
  });

const service = await testService();
await loadWeekdays(service, "20260301", "20260331");
await publish(service, contentOf(1_000));
await publish(service, contentOf(2_000));

const { run, done } = commandsOf(service);

describe("the commands `edgetape days`, `day` and `changes`", () => {
  it("list the available, pending and missing days of a month, and show a day with its revisions", async () => {
    const list = await done`days --month 202603`;
    expect(list).toMatch(/^20260311 +2 +available +2 +2 +[\d.]+ kB +2026-03-12T/m);
    expect(list).toMatch(/^20260310 +- +missing/m);
    expect(list).toMatch(/^20260312 +- +pending/m);
    expect(list).not.toContain("20260313");
    const json = JSON.parse(await done`days --month 202603 --json`);
    expect(json.days.find(({ tradedate }: { tradedate: string }) => tradedate === DATE)).toMatchObject({
      revision: 2,
    });
    const shown = await done`day ${DATE}`;
    expect(shown).toContain("20260311: revision 2 is served (available)");
    expect(shown).toMatch(/^SH +1 +- +1 +-/m);
    expect(shown).toContain("no other day is loaded to compare it with");
    expect(await done`day show ${DATE}`).toBe(shown);
    // Revision 1 was replaced on 12 March and can be restored for 7 days. The current revision shows neither time.
    expect(shown).toMatch(/^1 .* 2026-03-12T\S+ +2026-03-19T\S+ /m);
    expect(shown).toMatch(/^2 .* 2026-03-12T\S+ +- +- /m);
  });

  it("withdraw, restore and publish a day after a confirmation, and name the operator of an earlier change", async () => {
    const unasked = await run`day withdraw ${DATE}`;
    expect(unasked.status).toBe(2);
    expect(unasked.stderr).toMatch(/^edgetape: Withdraw 20260311, revision 2 .*--yes\.\n$/);
    expect(await done`day withdraw ${DATE} --note ${"wrong prices"} --yes`).toBe(
      "20260311, revision 2, is withdrawn.\n",
    );
    expect(await done`day withdraw ${DATE} --yes`).toBe(
      "20260311, revision 2, was already withdrawn by ADMIN_TOKEN.\n",
    );
    expect(await done`days --month 202603`).toMatch(/^20260311 .*withdrawn .*wrong prices$/m);
    expect(await done`day restore ${DATE} --yes`).toContain(
      "20260311 is served as revision 3, with the content of revision 1: 2 securities",
    );
    const late = await run`day publish ${DATE} --if-revision 2 --yes`;
    expect(late.status).toBe(1);
    expect(late.stderr).toContain("now at revision 3, last changed by ADMIN_TOKEN");
    const mistaken = await run`day restore ${DATE} --revision 1 --yes`;
    expect(mistaken.status).toBe(2);
    expect(mistaken.stderr).toMatch(/--if-revision.*--to/);
    const absent = await run`day restore ${DATE} --to 9 --yes`;
    expect(absent.stderr).toContain("20260311 has no revision 9. Its revisions: 1, 2, 3.");
    expect(await done`day ${DATE}`).toContain("revision 3 is served");
    expect(JSON.parse(await done`day publish ${DATE} --yes --json`)).toMatchObject({
      changed: true,
      day: { revision: 4, state: "available" },
    });
  });

  it("list the changes with the affected securities", async () => {
    const list = await done`changes --since 20260312`;
    expect(list.match(/published|restored|withdrawn/g)).toEqual([
      "published",
      "published",
      "withdrawn",
      "restored",
      "published",
    ]);
    expect(list).toMatch(/published +1 → 2 +600519\.SH changed$/m);
    const { nextAfter } = JSON.parse(await done`changes --json`);
    expect(await done`changes --after ${String(nextAfter)}`).toBe("Nothing has changed.\n");
    await done`changes --since yesterday`;
    const wrong = await run`changes --since ${"last week"}`;
    expect(wrong).toMatchObject({ status: 2, stdout: "" });
    expect(wrong.stderr).toContain("yesterday) or RFC 3339");
  });
});
