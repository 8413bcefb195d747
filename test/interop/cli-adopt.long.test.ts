/** Repairs a catalog that was restored from an older backup, with `day adopt` and `doctor --repair`. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/admin/wire.ts";
import { oneOrder } from "../support/builders.ts";
import { commandsOf } from "../support/edgetape.ts";
import { account, loadWeekdays, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const DATE = "20260311";
const folder = testFolder("edgetape-adopt-");
const file = join(folder, "backup.jsonl.gz");

const contentOf = (priceE4: number) => oneOrder(DATE, { priceE4 });

const service = await testService();
const { run, done } = commandsOf(service);
await loadWeekdays(service, "20260301", "20260331");
const { key } = await account(service, { plan: "flagship" });
await publish(service, contentOf(10_000));
await done`backup create --out ${file}`;
await publish(service, contentOf(20_000));

async function served(): Promise<unknown> {
  const params = { symbol: "600519", tradedate: DATE };
  return pageOf(await service.post(orderHistory({ apikey: key, params: { ...params }, fields: "price" })))
    .items;
}

async function objectFindings(...args: string[]): Promise<string[]> {
  const { stdout } = await run`doctor --json --no-host ${args}`;
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings
    .filter(({ check }) => check === "objects")
    .map(({ level, subject }) => `${level} ${subject}`);
}

describe("after an older backup is restored, the CLI", () => {
  const newer = `orders/2026/${DATE}/2.parquet`;

  it("lists a newer pack in R2 and serves it once the operator adopts it", async () => {
    expect(await served()).toEqual([[2]]);
    const restored = await done`backup restore ${file} --force --yes`;
    expect(restored).toContain(
      "`edgetape day adopt <YYYYMMDD> --dataset <orders|trades|quotes>` serves one:",
    );
    expect(restored).toMatch(new RegExp(`^${DATE} +revision 1 +[\\d.]+ kB +2\\S+ +${newer}$`, "m"));
    expect(await served()).toEqual([[1]]);
    expect(await done`day adoptable`).toContain(newer);

    const unasked = await run`day adopt ${DATE}`;
    expect(unasked.status).toBe(2);
    expect(unasked.stderr).toContain(`Serve ${DATE} from ${newer}`);
    expect(unasked.stderr).toContain(
      "in place of revision 1? There is no terminal for the confirmation: add --yes.",
    );
    expect(await done`day adopt ${DATE} --yes`).toContain(`${DATE} is served as revision 3: 1 securities`);
    expect(await served()).toEqual([[2]]);
    expect(await done`day adoptable`).toBe("Every pack in R2 is in the catalog.\n");
    expect(await run`day adopt ${DATE} --yes`).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("`edgetape day adoptable` lists the packs that can"),
    });
  });

  it("warns of an earlier revision whose object is missing, until doctor --repair has been run", async () => {
    const bucket = await service.mf.getR2Bucket("PACKS");
    await bucket.delete(`orders/2026/${DATE}/1.parquet`);
    expect(await objectFindings()).toEqual([`warning orders/2026/${DATE}/1.parquet`]);
    expect(await objectFindings("--repair")).toEqual([`done orders/2026/${DATE}/1.parquet`]);
    expect(await objectFindings()).toEqual([]);
    expect(await served()).toEqual([[2]]);
  });
});
