/** Tests `sync` of the Python client after the catalog is restored to an earlier state, and after a later rebuild. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { day, order, security, type TestDay } from "../support/builders.ts";
import { commandsOf } from "../support/edgetape.ts";
import { account, openDays, publish } from "../support/operator.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { isPythonMissing, type PythonSession, startSession } from "../support/python.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const without = isPythonMissing("the Python client's sync after a restore");
const TRADEDATE = "20260310";
/** Returns a build of the day. 300750 is the same in every build. */
const build = (volume: number): TestDay =>
  day({
    tradedate: TRADEDATE,
    securities: [
      security("600519", [order("093000000", { volume }), order("093000001", { volume })]),
      security("300750", [order("093000000")]),
    ],
  });

let python: PythonSession;
const folder = testFolder("edgetape-restored-");
const backup = join(folder, "backup.jsonl");

const service = await testService();
const { run } = commandsOf(service);
await openDays(service, TRADEDATE);
const { key } = await account(service, { plan: "flagship" });
beforeAll(async () => {
  if (!without) python = await startSession();
});
afterAll(() => python?.stop());

/** Runs `sync` and returns the securities that it downloaded. */
async function synced(): Promise<string[]> {
  const report = await python.run<{ fetched: [string, string][] }>(
    `result = Client("${key}", "${service.baseUrl}").sync(["600519", "300750"], "${TRADEDATE}", "${TRADEDATE}", ${JSON.stringify(join(folder, "synced"))})._asdict()`,
  );
  return report.fetched.map(([symbol]) => symbol);
}

const rowsHeld = async () => {
  const file = `synced/600519.SH/600519.SH_${TRADEDATE}_orders.parquet`;
  return (await readParquet(readFileSync(join(folder, file)))).rows;
};

describe.skipIf(without)("sync of the Python client after a restore of the catalog", () => {
  it("downloads only the securities that differ, and keeps no file of another build", async () => {
    const [first, second, third] = [build(100), build(200), build(300)];
    await publish(service, first);
    await run`backup create --out ${backup}`;
    await publish(service, second);
    expect(await synced()).toEqual(["600519", "300750"]);
    expect(await rowsHeld()).toEqual(second.rowsOf("600519"));

    const restored = await run`backup restore ${backup} --force --yes`;
    expect(restored.status).toBe(0);
    expect(await synced()).toEqual(["600519"]);
    expect(await rowsHeld()).toEqual(first.rowsOf("600519"));

    // A restore does not make revision numbers available again, so the third build gets a new number.
    await publish(service, third);
    expect(await synced()).toEqual(["600519"]);
    expect(await rowsHeld()).toEqual(third.rowsOf("600519"));
  });
});
