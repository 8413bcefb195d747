/** The auction pack of a day is made from the day's quotes, and an operator's file replaces it (contract 8.7, 8.10). */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { onDrive, shareOf } from "../support/drive.ts";
import { commandsOf } from "../support/edgetape.ts";
import { auctionPack } from "../support/files.ts";
import { account, loadWeekdays } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { PYTHON } from "../support/python.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const DAY = "20260311";
const NAME = `${DAY}_aucde.parquet`;

const folder = testFolder("edgetape-");
const service = await testService();
await loadWeekdays(service, "20260301", "20260331");
const { key } = await account(service, { plan: "flagship" });

const { output: done } = commandsOf(service);

async function offered(): Promise<Buffer> {
  const { bytes } = await onDrive(await shareOf(service, key, "auction_tick"), `${DAY}/${NAME}`);
  return Buffer.from(bytes);
}

const sample = (seed: string, out: string) =>
  done`sample --date ${DAY} --rows 20000 --seed ${seed} --out ${join(folder, out)} --dataset quotes`;
const publish = (out: string) => done`publish ${join(folder, out, `${DAY}_quotes.parquet`)} --force`;
const listed = () => done`files list --type auction_tick --month ${DAY.slice(0, 6)}`;

describe("the auction pack of a day", () => {
  it("is offered when quotes are published, and gets a new revision when different quotes are published", async () => {
    await sample("first", "first");
    expect(await publish("first")).toContain(`${NAME}, made from the quotes, is offered as revision 1.`);
    const { names, rows } = await readParquet(await offered());
    expect(names.slice(0, 4)).toEqual(["tradedate", "symbol", "time", "m_price"]);
    const cells = (name: string) => rows.map((row) => String(row[names.indexOf(name)]));
    const withResult = cells("symbol").filter((_, row) => cells("is_result")[row] === "true");
    expect(withResult.length).toBeGreaterThan(10);
    expect(new Set(withResult).size).toBe(withResult.length);
    expect(await publish("first")).toContain("was already offered, as revision 1.");
    await sample("second", "second");
    expect(await publish("second")).toContain("is offered as revision 2.");
    expect(await listed()).toMatch(/ 2 +published .* edgetape, from quotes/);
  });

  it("is withdrawn with the day's quotes, and stays withdrawn until the operator publishes it again", async () => {
    const ofQuotes = [DAY, "--dataset", "quotes"];
    const gone = await done`day withdraw ${ofQuotes} --note ${"wrong prices"} --yes`;
    expect(gone.split("\n")).toEqual([
      expect.stringMatching(/ is withdrawn\.$/),
      `${NAME}, made from these quotes, is withdrawn too: revision 2.`,
      "",
    ]);
    expect(await listed()).toMatch(/ 2 +withdrawn \(wrong prices\) /);
    // An operator can repeat the command, for example if it was killed between the quotes and the auction pack.
    expect(await done`day withdraw ${ofQuotes} --yes`).toMatch(/^[^\n]+ was already withdrawn by \S+\n$/);
    const back = await done`day publish ${ofQuotes} --yes`;
    const [, again = ""] = /`edgetape (files publish .*)` offers it again\.\n$/.exec(back) ?? [];
    expect(await done`${again.split(" ")}`).toContain(`${NAME} is published: revision 2`);
  });

  it("is reported as possibly outdated when different quotes are restored or adopted", async () => {
    const ofQuotes = [DAY, "--dataset", "quotes", "--yes"];
    const stale = (revision: number) =>
      `${NAME}, revision ${revision}, was made before these quotes were served, and may not fit them. ` +
      "`edgetape publish` with the pack of these quotes replaces it; " +
      `\`edgetape files withdraw --type auction_tick --date ${DAY}\` stops offering it.`;
    expect(await done`day restore ${ofQuotes}`).toContain(`\n${stale(2)}\n`);
    expect(await done`day publish ${ofQuotes}`).not.toContain(NAME);
    expect(await publish("first")).toContain("is offered as revision 3.");
    expect(await done`day publish ${ofQuotes}`).not.toContain(NAME);

    await sample("third", "third");
    const bytes = readFileSync(join(folder, "third", `${DAY}_quotes.parquet`));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await (await service.mf.getR2Bucket("PACKS")).put(`quotes/2026/${DAY}/90.parquet`, bytes);
    const adopted = await done`day adopt ${ofQuotes} --sha256 ${sha256} --json`;
    const auction = { name: NAME, state: "published", revision: 3, note: stale(3) };
    expect(JSON.parse(adopted)).toMatchObject({ newRevision: true, auction });
    expect(await publish("first")).toContain("was already offered, as revision 3.");
  });

  it("stays in shares when quotes without an auction are published, and the command says so", async () => {
    const made = day({ tradedate: DAY, securities: [security("600519", [order("100000000")])] });
    const path = join(folder, `${DAY}_quotes.parquet`);
    writeFileSync(path, (await packOf(made, "quotes")).bytes);
    const text =
      `${NAME}, made from earlier quotes, is still offered as revision 3: these quotes have no auction; ` +
      `\`edgetape files withdraw --type auction_tick --date ${DAY}\` stops offering it.\n`;
    expect(await done`publish ${path} --force`).toContain(text);
    expect(await publish("second")).toContain("is offered as revision 4.");
  });

  it("opens in pandas with the documented types and with NaN for null", async () => {
    const path = join(folder, NAME);
    writeFileSync(path, await offered());
    const program = `import pandas
frame = pandas.read_parquet("${path}")
print(frame[["m_price", "auc_pct_chg", "auc_volume", "is_result"]].dtypes.astype(str).to_list())
print(bool((frame["auc_pct_chg"].isna() == (frame["m_price"] == 0)).all()))`;
    const { stdout } = await promisify(execFile)(PYTHON, ["-c", program]).catch(
      (error: Error & { stdout: string }) => error,
    );
    if (stdout === "") return console.warn(`SKIPPED: ${PYTHON} has no pandas`);
    expect(stdout.trim().split("\n")).toEqual(["['float64', 'float64', 'int64', 'bool']", "True"]);
  });

  it("is replaced by an operator's file, and stays replaced when quotes are published later", async () => {
    const own = auctionPack(DAY);
    const path = join(folder, "own.parquet");
    writeFileSync(path, own.bytes);
    await done`files add ${path} --type auction_tick --date ${DAY} --name ${NAME} --publish`;
    expect((await offered()).equals(own.bytes)).toBe(true);
    expect(await listed()).toMatch(/ published .* operator\n/);
    expect(await publish("first")).toContain(`${NAME}, made from the quotes, is not offered: Revision `);
    expect((await offered()).equals(own.bytes)).toBe(true);
    const gone = await done`day withdraw ${DAY} --dataset quotes --yes --json`;
    const note = `${NAME} stays in shares: an operator added it.`;
    expect(JSON.parse(gone)).toMatchObject({ changed: true, auction: { state: "published", note } });
    expect((await offered()).equals(own.bytes)).toBe(true);
  });
});
