/** Runs the `edgetape` command as an operator runs it: as a separate process against a running service. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandsOf } from "../support/edgetape.ts";
import { listening } from "../support/listening.ts";
import { dayAt } from "../support/operator.ts";
import { type Ended, startEdgetape } from "../support/running-command.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const folder = testFolder("edgetape-cli-");

/** Requests a page of 300750 on `tradedate` with a key and returns the answer's code. */
async function codeFor(apikey: string, tradedate: string): Promise<number> {
  const params = { symbol: "300750", tradedate, page_size: 1 };
  return (await service.post({ apiname: "level2_order_history", apikey, params })).envelope.code;
}

const service = await testService();
const { run, done } = commandsOf(service);

describe("edgetape calendar", () => {
  it("loads a year that the holiday library covers, and shows it", async () => {
    expect(await done`calendar load --year 2026`).toContain(
      "365 days loaded, of which 242 are trading days; 365 days are new",
    );
    expect(await done`calendar load --year 2026`).toContain("0 days are new or changed");
    const shown = await done`calendar show --year 2026`;
    expect(shown).toContain("365 days known, of which 242 are trading days");
    expect(shown).toMatch(/^202610 {2}08 09 12 /m);
  });

  it("refuses a year whose holidays are not announced, with exit status 1", async () => {
    const { status, stderr, stdout } = await run`calendar load --year 2027`;
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^edgetape: The holidays of 2027 are not in the library .*--file\.\n$/);
  });

  it("loads an operator's own list of trading days", async () => {
    const list = join(folder, "own.txt");
    writeFileSync(list, "20270104\n20270105\n");
    await done`calendar load --file ${list}`;
    const shown = JSON.parse(await done`calendar show --year 2027 --json`);
    expect(shown.days.map((day: { day: string; open: boolean }) => [day.day, day.open])).toEqual([
      ["20270104", true],
      ["20270105", true],
    ]);
  });

  it("refuses a weekend as a trading day, in a list or with calendar mark, unless --force is given", async () => {
    const list = join(folder, "weekend.txt");
    writeFileSync(list, "20270108\n20270110\n");
    for (const args of [
      ["load", "--file", list],
      ["mark", "20270110", "--as", "open"],
    ]) {
      const refused = await run`calendar ${args}`;
      expect(refused).toMatchObject({ status: 1, stdout: "" });
      expect(refused.stderr).toMatch(/20270110 is on a weekend.*--force/);
      expect((await run`calendar ${args} --force`).status).toBe(0);
      await done`calendar mark 20270110 --as closed`;
    }
  });
});

describe("edgetape account, subscription and key", () => {
  it("create a customer whose requests are served, and revoke the key", async () => {
    await publishSample("20260312", 5_000);
    const account = JSON.parse(await done`account create 客户-17 --note first --json`);
    expect(account.accountId).toBe("客户-17");
    const again = await run`account create 客户-17`;
    expect(again.status).toBe(1);
    expect(again.stderr).not.toContain("    at ");
    await done`subscription set 客户-17 --plan flagship --start 2026-01-01 --end 2027-01-01`;
    const [key = ""] = (await done`key issue 客户-17 --name laptop`).split("\n");
    expect(await codeFor(key, "20260312")).toBe(200);
    const shown = await done`account show 客户-17`;
    expect(shown).toContain("flagship  2026-01-01T00:00:00+08:00  2027-01-01T00:00:00+08:00");
    expect(shown).not.toContain(key);
    const keyId = /^(\S+) .*laptop/m.exec(shown)?.[1] ?? "";
    expect(await done`key revoke ${keyId} --yes`).toContain(`Key ${keyId} of account 客户-17 was revoked`);
  });

  it("accept a CSV file of keys that Chinese Excel saved in GBK, and refuse short keys without --allow-short", async () => {
    const file = join(folder, "gbk.csv");
    const [first, second] = ["bfcdbba7bcd7", "bfcdbba7b1fb"].map((hex) => Buffer.from(hex, "hex"));
    const line = (key: string, account: Buffer = Buffer.alloc(0), plan = "") =>
      Buffer.concat([Buffer.from(`${key},`), account, Buffer.from(`,${plan},2026-01-01,2027-01-01\r\n`)]);
    const rows = [
      line("legacy-key-one-aaaaaaaaaaaa", first, "trial"),
      line("legacy-key-two-bbbbbbbbbbbb", second, "flagship"),
      line("123", second, "flagship"),
    ];
    writeFileSync(file, Buffer.concat([Buffer.from("key,account,plan,start,end\r\n"), ...rows]));
    const imported = await run`key import ${file}`;
    expect(imported).toMatchObject({
      status: 3,
      stdout: "2 keys imported or extended, 0 unchanged, 1 refused.\n",
    });
    expect(imported.stderr).toMatch(/gbk\.csv:4: This key has fewer than 20 characters/);
    expect(await done`account show 客户甲`).toContain("trial");
    expect(await done`account show 客户丙`).toContain("flagship");
    expect(await done`key import ${file} --allow-short`).toContain("1 keys imported");
    writeFileSync(file, Buffer.from([0x6b, 0x0a, 0xff, 0xff]));
    const refused = await run`key import ${file}`;
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("gbk.csv:2: it is neither UTF-8 nor GB18030");
  });

  it("import existing keys as text or as hashes, and change nothing when they are imported again", async () => {
    const hash = createHash("sha256").update("another's key").digest("hex");
    const file = join(folder, "keys.csv");
    writeFileSync(
      file,
      `key,sha256,account,plan,start,end\n旧 key of 20 letters 1,,old-1,flagship,20260101,20270101\n,${hash},old-2,trial,20260101,20270101\nLOST,,old-3,gold,20260101,20270101\n`,
    );
    const first = await run`key import ${file}`;
    expect(first.status).toBe(3);
    expect(first.stdout).toBe("2 keys imported or extended, 0 unchanged, 1 refused.\n");
    expect(first.stderr).toMatch(/^.*keys\.csv:4: plan: /);
    expect(first.stderr).not.toContain("LOST");
    expect((await run`key import ${file}`).stdout).toBe(
      "0 keys imported or extended, 2 unchanged, 1 refused.\n",
    );
    expect(await codeFor("旧 key of 20 letters 1", "20260312")).toBe(200);
    expect(await codeFor("another's key", "20260312")).toBe(200);
  });
});

describe("edgetape publish", () => {
  it("leaves the served day unchanged until the upload is complete, and can be repeated after it was killed at any step", async () => {
    const old = await publishSample("20260311", 3_000);
    // The pack has more than one upload part, so that the command can be killed between parts.
    const { path, rows } = await samplePack("20260311", 1_100_000);
    const before = await dayAt(service, "20260311");
    expect(before.rows).toBe(old.rows);
    const steps = ["/uploads", "/parts/2", "/complete"];
    for (const step of steps) {
      for (const moment of ["before", "after"] as const) {
        const killed = await publishKilledAt(path, step, moment);
        expect(killed).toEqual({ status: null, stdout: "", stderr: "" });
        const completed = step === "/complete" && moment === "after";
        expect((await dayAt(service, "20260311")).revision).toBe(before.revision + (completed ? 1 : 0));
      }
    }
    expect(await done`publish ${path}`).toContain(
      "20260311 was already served with this content, as revision 2",
    );
    expect(await dayAt(service, "20260311")).toMatchObject({ revision: 2, rows, securities: 66 });
    expect(await done`days --month 202603`).toMatch(/^20260311 {2}2 +available +66 +1,100,000 /m);
    expect(await done`day 20260311`).toContain("20260311: revision 2 is served (available)");
  });

  it("reports an error in one line and by the exit status", async () => {
    const { path } = await samplePack("20260310", 500);
    const wrongToken = await run`publish ${path} --token not-the-operator's-token`;
    expect(wrongToken.status).toBe(1);
    expect(wrongToken.stderr).toMatch(/^edgetape: [^\n]+\n$/);
    expect(wrongToken.stderr).not.toContain("not-the-operator");
    expect((await run`publish`).status).toBe(2);
    expect((await run`publish ${path} --faster`).status).toBe(2);
    expect((await run`publish absent.parquet`).status).toBe(1);
    expect((await run`--help`).status).toBe(0);
  });
});

async function samplePack(tradedate: string, rows: number): Promise<{ path: string; rows: number }> {
  const out = join(folder, String(rows));
  const made = await done`sample --date ${tradedate} --rows ${rows} --out ${out} --dataset orders --json`;
  const { written } = JSON.parse(made);
  return written[0];
}

async function publishSample(tradedate: string, rows: number) {
  const pack = await samplePack(tradedate, rows);
  expect(await done`publish ${pack.path}`).toContain(
    `${tradedate} is served as revision 1: 20 securities, ${rows.toLocaleString("en-US")} orders`,
  );
  return pack;
}

/** Publishes through a relay that kills the command at the request for `step`, before or after forwarding it. */
async function publishKilledAt(path: string, step: string, moment: "before" | "after"): Promise<Ended> {
  let kill = () => {};
  await using relay = await listening((asked, answer) => {
    const last = asked.url?.endsWith(step) ?? false;
    if (last && moment === "before") return kill();
    const { method, headers } = asked;
    const passed = request(service.baseUrl + asked.url, { method, headers }, (got) => {
      if (last) return got.resume().on("end", kill);
      got.pipe(answer.writeHead(got.statusCode ?? 0, got.headers));
    });
    // When the command is killed, its unfinished requests fail. These errors are expected.
    asked.pipe(passed.on("error", () => {}));
  });
  const running = startEdgetape(["publish", path], { ...service, baseUrl: relay.url });
  kill = running.kill;
  return await running.ended;
}
