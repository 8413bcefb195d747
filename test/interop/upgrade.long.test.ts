/**
 * Upgrades a deployment, rolls it back and upgrades it again while clients read pages. As `src/cli/guide/upgrade.md`
 * says, the migrations come first, then the worker. Both versions are real workers with the same state and URL.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ScheduledRun } from "../../src/admin/wire.ts";
import { Client } from "../../src/client/typescript/index.ts";
import { trades } from "../../src/datasets/trades.ts";
import type { AccountInfo } from "../../src/operations/wire.ts";
import { day, order, type Row, security } from "../support/builders.ts";
import { answerRows, noiseOf, publishSections } from "../support/dataset-days.ts";
import { type FormerVersion, formerVersion, isUnknown } from "../support/former-version.ts";
import { freePort } from "../support/npm-start.ts";
import { account, asOperator, publish } from "../support/operator.ts";
import { orderHistory, type Page } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";

/** The last commit before the catalog had datasets (migration 0017). */
const FORMER = "1b2086a61b9cfa8348ba6eb3ee02a7c12a0c4d03";
const PAGE_SIZE = 7;
const PAGES_EACH = 5;
const TRADEDATE = "20260311";
const SYMBOL = "600519";
const loaded = day({
  tradedate: TRADEDATE,
  securities: [
    security(
      SYMBOL,
      Array.from({ length: 300 }, (_, n) => order(n < 150 ? "093000000" : "100000000", { volume: n + 1 })),
    ),
  ],
});
const random = printedRandom("upgrade");
const absent = isUnknown(FORMER);

let former: FormerVersion;
let port: number;
beforeAll(async () => {
  if (!absent) former = await formerVersion(FORMER);
  port = await freePort();
});

/** A deployment whose worker and schema are replaced as an operator replaces them. */
class Deployment {
  readonly #state = mkdtempSync(join(tmpdir(), "edgetape-upgrade-"));
  #service: Service | undefined;

  get service(): Service {
    if (this.#service === undefined) throw new Error("nothing is deployed");
    return this.#service;
  }

  /** Replaces the running version. The schema is the current one if `migrated`, and otherwise the former one. */
  async deploy(version: "former" | "present", migrated: boolean): Promise<void> {
    await this.#service?.stop();
    this.#service = await startService({
      port,
      persistDir: this.#state,
      ...(version === "former" ? { worker: former.worker } : {}),
      ...(migrated ? {} : { migrations: former.migrations }),
    });
  }

  async remove(): Promise<void> {
    await this.#service?.stop();
    rmSync(this.#state, { recursive: true, force: true });
  }
}

/** Runs a file of `src/catalog/rollback` as `wrangler d1 execute --file` does. */
async function runSql(service: Service, name: string): Promise<void> {
  const statements = readFileSync(`src/catalog/rollback/${name}.sql`, "utf8")
    .replaceAll(/--[^\n]*/g, "")
    .split(/;\s*(?:\n|$)/)
    .filter((text) => text.trim() !== "");
  const db = await service.mf.getD1Database("DB");
  await db.batch(statements.map((text) => db.prepare(text)));
}

/**
 * Makes the gate store its state. The gate may keep the end of a page in memory for half a second. In a deployment, the
 * worker that sent the page continues to run and reports the end again. Here, worker and gate stop together.
 */
async function settled(service: Service, accountId: string): Promise<void> {
  await asOperator(service, "POST", `/admin/accounts/${accountId}/credit`, { requests: 1 });
}

/** The operator's steps: migrate the schema, deploy the new worker, roll it back, and deploy it again. */
const STEPS = [
  { version: "former", migrated: false },
  { version: "former", migrated: true },
  { version: "present", migrated: true },
  { version: "former", migrated: true },
  { version: "present", migrated: true },
] as const;

describe.skipIf(absent)("a deployment that is upgraded, rolled back and upgraded again", () => {
  it("returns every row exactly once to a client that is paging, and counts every page", async () => {
    const deployment = new Deployment();
    const rows: Row[] = [];
    let served = 0;
    let rebuilds = 0;
    let revision = 0;
    const meanwhile = day({
      tradedate: "20260310",
      securities: [security(SYMBOL, [order("093000000")])],
    });
    let [key, accountId] = ["", ""];
    let pages: AsyncGenerator<{ items: unknown[][] }> | undefined;
    try {
      for (const { version, migrated } of STEPS) {
        await deployment.deploy(version, migrated);
        const { service } = deployment;
        if (pages === undefined) {
          await publish(service, loaded);
          ({ key, accountId } = await account(service, { plan: "flagship" }));
          const counted: typeof fetch = async (...asked) => {
            const answer = await fetch(...asked);
            if (answer.headers.get("x-revision") !== null) served++;
            return answer;
          };
          const client = new Client({ key, baseUrls: service.baseUrl, fetch: counted });
          const query = { symbol: SYMBOL, date: TRADEDATE, pageSize: PAGE_SIZE };
          pages = client.orders({ ...query, onRebuild: () => void rebuilds++ }).pages();
        }
        // The former worker cannot publish on the current schema. The current worker then publishes the day.
        if (version === "present") expect((await publish(service, meanwhile)).day.revision).toBe(++revision);
        else if (migrated) await expect(publish(service, meanwhile)).rejects.toThrow("HTTP 503");
        for (let page = 0; page < PAGES_EACH; page++)
          rows.push(...((await pages.next()).value.items as Row[]));
        await settled(service, accountId);
      }
      if (pages !== undefined) for await (const page of pages) rows.push(...(page.items as Row[]));
      expect(rows).toEqual(loaded.rowsOf(SYMBOL));
      expect(rebuilds).toBe(0);
      const info = await deployment.service.post({ apiname: "account_info", apikey: key });
      const { quotas } = info.envelope.data as unknown as AccountInfo;
      expect(quotas).toContainEqual(
        expect.objectContaining({ requests: expect.objectContaining({ used: served }) }),
      );
    } finally {
      await deployment.remove();
    }
  });

  it("keeps its trades during a rollback to a version without datasets, and serves them again afterwards", async () => {
    const deployment = new Deployment();
    const [both, onlyTrades, later] = [TRADEDATE, "20260306", "20260310"];
    const section = { symbol: SYMBOL, market: "SH" as const, columns: noiseOf(random, trades, 20) };
    const small = (tradedate: string, volume: number) =>
      day({
        tradedate,
        securities: [security(SYMBOL, [order("093000000", { volume }), order("093000010", { volume })])],
      });
    let [key, accountId] = ["", ""];
    const pageOf = async (cursor?: string) => {
      const params = { symbol: SYMBOL, tradedate: both, page_size: 1, cursor };
      const answer = await deployment.service.post(orderHistory({ apikey: key, params }));
      return { reason: answer.headers["x-reason"], data: answer.envelope.data as unknown as Page | null };
    };
    const rowsOf = async (apiname: string, tradedate: string) => {
      const params = { symbol: SYMBOL, tradedate };
      const { envelope } = await deployment.service.post({ apiname, apikey: key, params });
      return (envelope.data as { items?: Row[] } | null)?.items ?? envelope.code;
    };
    try {
      await deployment.deploy("present", true);
      ({ key, accountId } = await account(deployment.service, { plan: "flagship" }));
      await publish(deployment.service, small(both, 1));
      for (const tradedate of [both, onlyTrades])
        await publishSections(deployment.service, "trades", tradedate, [section]);
      const present = (await pageOf()).data?.next_cursor ?? "";
      await settled(deployment.service, accountId);
      await runSql(deployment.service, "to_0016");

      await deployment.deploy("former", true);
      expect(await pageOf(present)).toEqual({ reason: "cursor_invalid", data: null });
      const former = (await pageOf()).data?.next_cursor ?? "";
      const [, second] = small(both, 1).rowsOf(SYMBOL);
      expect((await pageOf(former)).data?.items).toEqual([second]);
      expect(await rowsOf("level2_order_history", both)).toEqual(small(both, 1).rowsOf(SYMBOL));
      expect(await rowsOf("level2_order_history", onlyTrades)).toBe(1002);
      expect((await publish(deployment.service, small(both, 2))).day.revision).toBe(2);
      expect((await publish(deployment.service, small(later, 3))).day.revision).toBe(1);
      const { findings } = await asOperator<ScheduledRun>(
        deployment.service,
        "POST",
        "/admin/doctor/scheduled",
        {},
      );
      expect(findings.filter(({ check }) => check === "objects" || check === "days")).toEqual([]);

      const newest = (await pageOf()).data?.next_cursor ?? "";
      await settled(deployment.service, accountId);
      await deployment.deploy("present", true);
      await runSql(deployment.service, "from_0016");
      expect((await pageOf(newest)).data?.items).toEqual([small(both, 2).rowsOf(SYMBOL)[1]]);
      for (const tradedate of [both, onlyTrades])
        expect(await rowsOf("level2_trade_history", tradedate)).toEqual(
          answerRows(trades, section, tradedate),
        );
      expect(await rowsOf("level2_order_history", both)).toEqual(small(both, 2).rowsOf(SYMBOL));
      expect(await rowsOf("level2_order_history", later)).toEqual(small(later, 3).rowsOf(SYMBOL));
    } finally {
      await deployment.remove();
    }
  });
});
