/** Tests the commands with which an operator corrects the content of a day, and a wrong day of the calendar. */
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DatasetName } from "../../src/datasets/registry.ts";
import { commandsOf } from "../support/edgetape.ts";
import { account, dayAt } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const folder = testFolder("edgetape-rebuild-");
const service = await testService();
const { run, output: done } = commandsOf(service);

/** Runs `edgetape`. Returns its exit status, and its output on stdout and then on stderr. */
const attempt = async (...typed: Parameters<typeof run>) => {
  const { status, stdout, stderr } = await run(...typed);
  return { status, output: stdout + stderr };
};
/** Builds without threads, because starting threads takes longer than building a few rows. */
const ALONE = ["--threads", "0"];
const TRADES = "逐笔成交.csv";

describe("edgetape rebuild", () => {
  it("publishes a new revision, after which an old cursor is refused with data_rebuilt", async () => {
    const sample = (rows: string, out: string) =>
      done`sample --date 20260311 --rows ${rows} --csv --out ${join(folder, out)}`;
    await sample("2000", "first");
    await sample("3000", "second");
    const out = join(folder, "packs");
    const first = await done`rebuild ${join(folder, "first")} --date 20260311 --out ${out}`;
    expect(first).toContain("20260311 is served as revision 1");

    const { key } = await account(service, { plan: "flagship" });
    const params = { symbol: "300750", tradedate: "20260311", page_size: 10 };
    const page = pageOf(await service.post(orderHistory({ apikey: key, params })));
    const second = await done`rebuild ${join(folder, "second")} --date 20260311 --out ${out} ${ALONE}`;
    expect(second).toContain("20260311 is served as revision 2");
    const next = await service.post(
      orderHistory({ apikey: key, params: { ...params, cursor: page.next_cursor } }),
    );
    expect(next.reason).toBe("data_rebuilt");
  });

  it("publishes the other datasets when one is refused, and says so", async () => {
    const less = join(folder, "less");
    await cp(join(folder, "second"), less, { recursive: true });
    const [security = ""] = await readdir(join(less, "20260311"));
    await rm(join(less, "20260311", security, TRADES));
    const run = await attempt`rebuild ${less} --date 20260311 --out ${join(folder, "less-packs")} ${ALONE}`;
    expect(run.status).toBe(1);
    expect(run.output).toMatch(/20260311 was already served .*\n20260311 \(quotes\) was already served /);
    expect(run.output).toMatch(/edgetape: .*20260311 \(trades\)/);
  });

  it("leaves the served day unchanged when nothing can be built", async () => {
    const [nothing, out] = [join(folder, "nothing"), join(folder, "packs")];
    expect((await run`rebuild ${nothing} --date 20260311 --out ${out}`).status).toBe(1);
    expect(await done`day 20260311`).toContain("revision 2 is served");
  });
});

describe("edgetape rebuild --affected", () => {
  it("rebuilds the days that an earlier version built, and names the days whose delivery is missing", async () => {
    const db = await service.mf.getD1Database("DB");
    const drop = join(folder, "drop");
    await done`sample --date 20260310 --rows 500 --csv --out ${join(folder, "gone")}`;
    const out = join(folder, "packs");
    await done`rebuild ${join(folder, "gone")} --date 20260310 --out ${out} ${ALONE}`;
    expect(await done`days --built-before 0.0.1`).toContain(
      "No loaded day was built by a version before 0.0.1",
    );
    await db.prepare("UPDATE day_packs SET builder_version = NULL").run();
    expect(await done`days --built-before 0.0.1`).toMatch(/20260310 .*none\n20260311 .*none/);
    await mkdir(drop);
    await rename(join(folder, "second"), join(drop, "20260311"));
    const run = await attempt`rebuild --affected --from ${drop} --out ${out} ${ALONE}`;
    expect(run.status).toBe(1);
    expect(run.output).toContain("20260311 is served as revision 3");
    expect(run.output).toMatch(
      /not rebuilt: 20260310: its delivery is not in .*\nnot rebuilt: 20260310 \(trades\): .*\nnot rebuilt: 20260310 \(quotes\): .*\n.*3 of 6 packs .*; 3 were not/,
    );
    const left = await done`days --built-before 99.0.0 --json`;
    expect(JSON.parse(left).days).toMatchObject([
      { builderVersion: null },
      { builderVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    ]);
  });
});

describe("edgetape rebuild --affected, run on a delivery with few trades,", () => {
  const DAY = "20260313";
  const drop = join(folder, "few");
  const out = join(folder, "few-packs");
  const affected = () => attempt`rebuild --affected --from ${drop} --out ${out} --force ${ALONE}`;
  const served = (dataset: DatasetName) => dayAt(service, DAY, dataset);
  const forget = async () => {
    const db = await service.mf.getD1Database("DB");
    await db.prepare("UPDATE day_packs SET builder_version = '99.0.0'").run();
    await db.prepare("UPDATE day_packs SET builder_version = NULL WHERE tradedate = ?").bind(DAY).run();
  };

  it("builds the whole delivery, so that the trades stay degraded", async () => {
    await done`sample --date ${DAY} --rows 3000 --csv --out ${drop}`;
    for (const name of await readdir(join(drop, DAY))) {
      const path = join(drop, DAY, name);
      if (!["600519.SH", "600036.SH", "601318.SH"].includes(name)) await rm(path, { recursive: true });
      else if (name !== "601318.SH") await rm(join(path, TRADES));
    }
    await run`rebuild ${drop} --date ${DAY} --out ${out} --force ${ALONE}`;
    const before = await served("trades");
    expect(before).toMatchObject({ degraded: true, note: expect.stringContaining("3") });
    await forget();
    const again = await affected();
    expect(again.status).toBe(3);
    expect(again.output).toContain("3 of 3 packs built by a version before");
    expect(await served("trades")).toMatchObject({ revision: 2, degraded: true, note: before.note });
    expect(await served("orders")).toMatchObject({ revision: 2, degraded: false });
  });

  it("publishes neither a withdrawn dataset nor one that the current version built, even with --force", async () => {
    await done`day withdraw ${DAY} --dataset orders --yes`;
    await forget();
    const db = await service.mf.getD1Database("DB");
    await db
      .prepare("UPDATE day_packs SET builder_version = '99.0.0' WHERE tradedate = ? AND dataset = 'quotes'")
      .bind(DAY)
      .run();
    const run = await affected();
    expect(run.status).toBe(1);
    expect(run.output).toContain(`not rebuilt: ${DAY}: it is withdrawn`);
    expect(run.output).toContain("1 of 2 packs built by a version before");
    expect(run.output).toContain(`${DAY} (trades) was already served with this content`);
    expect(run.output).not.toMatch(/\((orders|quotes)\) (is|was already) served/);
    expect(await served("trades")).toMatchObject({ revision: 2, degraded: true });
    expect(await served("orders")).toMatchObject({ state: "withdrawn" });
  });

  it("reports a dataset that is missing in the delivery, and rebuilds the others", async () => {
    await done`day publish ${DAY} --dataset orders --yes`;
    for (const name of await readdir(join(drop, DAY))) {
      await rm(join(drop, DAY, name, TRADES), { force: true });
    }
    await forget();
    const run = await affected();
    expect(run.status).toBe(1);
    expect(run.output).toContain(`not rebuilt: ${DAY} (trades): the delivery has no trades`);
    expect(run.output).toContain("2 of 3 packs built by a version before");
  });
});

describe("edgetape rebuild --affected, run on a day that has only orders,", () => {
  it("publishes the orders, and lists the packs of trades and quotes as built but not published", async () => {
    const [drop, out] = [join(folder, "whole"), join(folder, "whole-packs")];
    await done`sample --date 20260316 --rows 500 --csv --out ${drop}`;
    const rebuild = (...args: string[]) => attempt`rebuild ${args} --out ${out} ${ALONE}`;
    await rebuild(drop, "--date", "20260316", "--dataset", "orders", "--force");
    const db = await service.mf.getD1Database("DB");
    const version = "CASE tradedate WHEN '20260316' THEN '0.0.1' ELSE '99.0.0' END";
    await db.prepare(`UPDATE day_packs SET builder_version = ${version}`).run();
    const run = await rebuild("--affected", "--from", drop, "--force");
    expect(run.output).toMatch(
      /built, not published: .*20260316_trades\.parquet: no trades of 20260316 are loaded; `edgetape publish` loads them\.\nbuilt, not published: .*20260316_quotes\.parquet: .*\n1 of 1 packs/,
    );
    expect(run.status).toBe(0);
    const absent = await service.admin("GET", "/admin/days/20260316?dataset=trades");
    expect(absent.status).toBe(404);
  });
});

describe("edgetape calendar mark", () => {
  it("closes and opens one day, and says when nothing changed", async () => {
    expect(await done`calendar mark 20260311 --as closed`).toContain("20260311 is now closed");
    expect(await done`calendar mark 20260311 --as closed`).toContain("was already closed");
    expect(await done`calendar mark 20260311 --as open`).toContain("20260311 is now open");
    expect(await done`calendar show --year 2026`).toContain("202603  11");
  });
});
