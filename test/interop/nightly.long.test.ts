/** Runs `edgetape nightly` with deliveries, a running service and a test webhook. */

import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DayList } from "../../src/admin/wire.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import { deliver } from "../support/deliveries.ts";
import { commandsOf, QUICK } from "../support/edgetape.ts";
import { auctionPack } from "../support/files.ts";
import { asOperator, dayAt } from "../support/operator.ts";
import { testService } from "../support/test-service.ts";
import { isMissing } from "../support/tools.ts";
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts";
import { zipOf } from "../unit/pack-builder/zip-file.ts";

let receiver: Receiver;
let folder: string;

const service = await testService();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "edgetape-nightly-"));
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.edgetape`, { recursive: true, force: true });
});

const commands = () => commandsOf(service, { EDGETAPE_WEBHOOK_URL: receiver.url });
const nightly = (tradedate: string, ...more: string[]) =>
  commands().run`nightly ${folder} --date ${tradedate} ${QUICK} ${more}`;

const told = () => receiver.received.map(({ body }) => [body.event, body.level]);
const title = () => String(receiver.received.at(-1)?.body.title);

/** Returns the names of the day's packs in the work folder. */
const packsOf = (tradedate: string) =>
  readdirSync(join(`${folder}.edgetape`, "packs"))
    .filter((name) => name.startsWith(tradedate) && name.endsWith(".parquet"))
    .sort();

async function stateOf(tradedate: string): Promise<string | undefined> {
  const path = `/admin/days?month=${tradedate.slice(0, 6)}`;
  const { days } = await asOperator<DayList>(service, "GET", path);
  return days.find((day) => day.tradedate === tradedate)?.state;
}

describe("nightly with a complete delivery", () => {
  it("serves the orders and the files, notifies the webhook once, and does nothing on the second run", async () => {
    const { counts } = deliver(folder, "20260302", 3_000);
    const auction = auctionPack("20260302").bytes;
    writeFileSync(join(folder, "20260302_aucde.parquet"), auction);
    const first = await nightly("20260302", "--expect", "auction_tick");
    expect(first.status).toBe(0);
    expect(first.stdout).toContain("20260302 is served as revision 1.");
    expect(first.stdout).toContain("20260302_aucde.parquet is offered as revision 1");
    expect(told()).toEqual([["nightly.published", "ok"]]);
    expect(receiver.received[0]?.body.facts).toMatchObject({
      revision: 1,
      rows: counts.orders,
      degraded: false,
    });
    expect(await dayAt(service, "20260302")).toMatchObject({ revision: 1, rows: counts.orders });

    const second = await nightly("20260302");
    expect([second.status, second.stdout]).toEqual([0, first.stdout]);
    expect(told()).toHaveLength(1);
    rmSync(join(folder, "20260302"), { recursive: true });
    rmSync(join(folder, "20260302_aucde.parquet"));
    const idle = await nightly("20260302");
    expect([idle.status, idle.stdout]).toEqual([0, "20260302 is served, and nothing new was delivered.\n"]);
  });

  it("exits with status 3 and sends a warning when rows were left out", async () => {
    const { folder: day } = deliver(folder, "20260304", 2_000);
    appendFileSync(join(day, "600519.SH", "逐笔委托.csv"), "600519.SH,600519,20260304,nonsense\r\n");
    const { status, stdout } = await nightly("20260304", "--max-broken", "1");
    expect([status, told()]).toEqual([3, [["nightly.degraded", "warning"]]]);
    const [, quarantine = ""] = /lines could not be parsed; they are in (.*)/.exec(stdout) ?? [];
    expect(readFileSync(quarantine, "utf8")).toContain("nonsense");
    expect(await stateOf("20260304")).toBe("degraded");
  });

  it("fails when the webhook does not accept the notice, and sends it again in the next run", async () => {
    deliver(folder, "20260305", 2_000);
    receiver.answer = { status: 500, body: {} };
    const untold = await nightly("20260305");
    expect(untold.status).toBe(1);
    expect(untold.stderr).toContain("The webhook was not notified: it answered HTTP 500.");
    expect(untold.stderr).not.toContain("robot-key");
    expect(await stateOf("20260305")).toBe("available");
    receiver.answer = { status: 200, body: {} };
    receiver.received.length = 0;
    expect((await nightly("20260305")).stdout).toContain("20260305 is served as revision 1.");
    expect(told()).toEqual([["nightly.published", "ok"]]);
  });
});

describe("the notices of nightly to a chat robot", () => {
  it("say in Chinese and English that the delivery is missing, incomplete or served, and are signed", async () => {
    const day = "20260303";
    const robot = { EDGETAPE_WEBHOOK_KIND: "feishu", EDGETAPE_WEBHOOK_SECRET: "S1" };
    const { run } = commandsOf(service, { EDGETAPE_WEBHOOK_URL: receiver.url, ...robot });
    receiver.answer = { status: 200, body: { code: 0, msg: "success" } };
    const evening = async () => {
      receiver.received.length = 0;
      const { status } = await run`nightly ${folder} --date ${day} ${QUICK} --force`;
      const { sign, timestamp, content } = receiver.received[0]?.body ?? {};
      expect(sign).toBe(createHmac("sha256", `${timestamp}\nS1`).digest("base64"));
      return [status, (content as { text: string }).text];
    };
    const says = (text: string) => expect.stringContaining(text);
    expect(await evening()).toEqual([
      1,
      says(
        `edgetape 失败 FAILED\n没有收到 ${day} 的数据；已停止等待\nno delivery for ${day} has arrived; waiting has ended`,
      ),
    ]);
    writeFileSync(join(folder, `${day}.zip`), "the first half of an archive");
    expect(await evening()).toEqual([
      1,
      says(
        `${day} 的数据不完整：${day}.zip 不是完整的 ZIP 文件；已停止等待\nthe delivery for ${day} is not complete: ${day}.zip is not a complete ZIP file;`,
      ),
    ]);
    rmSync(join(folder, `${day}.zip`));
    deliver(folder, day, 2_000);
    expect(await evening()).toEqual([
      0,
      says(`edgetape 正常 OK\n${day} 已发布，第 1 版\n${day} is served as revision 1`),
    ]);
  });
});

describe("nightly with an incomplete delivery", () => {
  it("reports a day that is smaller than usual, and serves it only with --force", async () => {
    for (const day of ["20260223", "20260224", "20260225", "20260226", "20260227"]) {
      deliver(folder, day, 2_000);
      await nightly(day);
    }
    receiver.received.length = 0;
    deliver(folder, "20260310", 900);
    const refused = await nightly("20260310");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("20260310 is smaller than usual and is not served");
    expect(told()).toEqual([["nightly.failed", "failed"]]);
    expect(title()).toContain("20260310 is smaller than usual");
    expect(await stateOf("20260310")).not.toBe("available");
    expect((await nightly("20260310", "--force")).status).toBe(0);
    expect(told().at(-1)).toEqual(["nightly.published", "ok"]);
    expect(await stateOf("20260310")).toBe("available");
  });
});

describe("nightly with untrustworthy files", () => {
  const secret = "S3CRET=prod-0f9a";
  const outside = () => {
    const place = mkdtempSync(join(tmpdir(), "edgetape-outside-"));
    writeFileSync(join(place, "prod.env"), `${secret}\n`);
    return join(place, "prod.env");
  };
  const everythingSaid = (...runs: { stdout: string; stderr: string }[]) =>
    [...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]), JSON.stringify(receiver.received)].join("\n");

  it("reports symbolic links instead of following them, and prints nothing from their targets", async () => {
    const { folder: day, counts } = deliver(folder, "20260312", 3_000);
    symlinkSync(outside(), join(day, "orders.csv"));
    mkdirSync(join(folder, "level2"));
    symlinkSync(outside(), join(folder, "level2", "20260312_trades.csv"));
    const linked = await nightly("20260312");
    expect(linked.status).toBe(1);
    expect(linked.stdout).toContain("not read: 20260312/orders.csv is a link, and links are not followed");
    expect(linked.stdout).toContain("20260312_trades.csv is not offered: ");
    expect(await dayAt(service, "20260312")).toMatchObject({ rows: counts.orders });
    expect(await stateOf("20260312")).toBe("degraded");
    const path = "/admin/files/level2?from=20260312&to=20260312";
    expect(await asOperator(service, "GET", path)).toEqual({ files: [] });

    rmSync(day, { recursive: true });
    rmSync(join(folder, "level2"), { recursive: true });
    symlinkSync(outside(), join(folder, "20260312_orders.csv"));
    const alone = await nightly("20260312");
    expect(alone.status).toBe(1);
    expect(alone.stderr).toContain("20260312_orders.csv is a link, and links are not followed");
    expect(everythingSaid(linked, alone)).not.toContain(secret);
  });

  it("waits for a file that ends in NUL bytes or is being downloaded, and says why", async () => {
    const { folder: day } = deliver(folder, "20260313", 3_000);
    const file = join(day, "600519.SH", "逐笔委托.csv");
    const whole = readFileSync(file);
    writeFileSync(
      file,
      Buffer.concat([whole.subarray(0, whole.length >> 1), Buffer.alloc(whole.length >> 1)]),
    );
    const half = await nightly("20260313");
    expect(half.status).toBe(1);
    const reason = "20260313/600519.SH/逐笔委托.csv ends in NUL bytes: it is still being written";
    expect(half.stderr).toContain(`Waiting: ${reason}.`);
    expect(half.stderr).toContain(`the delivery for 20260313 is not complete: ${reason}`);
    writeFileSync(file, whole);
    const part = join(day, "600519.SH", "逐笔委托.csv.baiduyun.p.downloading");
    writeFileSync(part, "x");
    const loading = await nightly("20260313");
    expect(loading.status).toBe(1);
    expect(loading.stderr).toContain(
      "逐笔委托.csv.baiduyun.p.downloading is still being written, as its name says",
    );
    rmSync(part);
    expect((await nightly("20260313")).status).toBe(0);
  });

  it("reports the files that it cannot read, and serves the day as degraded", async () => {
    const { folder: day } = deliver(folder, "20260316", 3_000);
    const own = join(day, "600519.SH");
    renameSync(join(own, "逐笔委托.csv"), join(own, "逐笔委托.csv.xz"));
    const { status, stdout } = await nightly("20260316", "--force");
    expect(status).toBe(3);
    expect(stdout).toContain("not read: 20260316/600519.SH/逐笔委托.csv.xz has a format that is not read");
    expect(told()).toEqual([["nightly.degraded", "warning"]]);
    expect(JSON.stringify(receiver.received)).toContain("20260316/600519.SH/逐笔委托.csv.xz");
  });

  it("reports a data file that is in no pack, and marks no pack as degraded", async () => {
    const { folder: day } = deliver(folder, "20260330", 2_000, { datasets: ["orders", "trades"] });
    copyFileSync(join(day, "600519.SH", "逐笔成交.csv"), join(day, "copy.csv.ok"));
    for (const security of readdirSync(day).filter((name) => /\.S[HZ]$/.test(name))) {
      rmSync(join(day, security, "逐笔成交.csv"));
    }
    const { status, stdout } = await nightly("20260330");
    expect([status, told()]).toEqual([3, [["nightly.degraded", "warning"]]]);
    expect(stdout).toContain("not read: 20260330/copy.csv.ok has the header of a data file");
    expect(await stateOf("20260330")).toBe("available");
  });
});

describe("nightly with an archived delivery", () => {
  it.skipIf(isMissing("7z"))("reads an archive that is split into volumes", async () => {
    const { folder: day, counts } = deliver(folder, "20260317", 3_000);
    const options = ["a", "-v20k", "-mx0", join(folder, "20260317.7z"), "."];
    expect(spawnSync("7z", options, { cwd: day, env: { ...process.env, LC_ALL: "C.UTF-8" } }).status).toBe(0);
    rmSync(day, { recursive: true });
    expect((await nightly("20260317")).stdout).toContain("20260317 is served as revision 1.");
    expect(await dayAt(service, "20260317")).toMatchObject({ rows: counts.orders });
  });

  it("refuses a day whose folder and archive differ", async () => {
    const { folder: day } = deliver(folder, "20260318", 2_000);
    const content = readFileSync(join(day, "600519.SH", "逐笔委托.csv"));
    const changed = Buffer.from(content.toString("latin1").replace(/,B,/, ",S,"), "latin1");
    writeFileSync(
      join(folder, "20260318.zip"),
      zipOf([{ name: "600519.SH/逐笔委托.csv", content: changed }]),
    );
    const { status, stderr } = await nightly("20260318");
    expect(status).toBe(1);
    expect(stderr).toContain("600519.SH is delivered twice");
    expect(stderr).toContain("20260318.zip/600519.SH/逐笔委托.csv");
    expect(await stateOf("20260318")).not.toBe("available");
  });
});

describe("nightly", () => {
  it("keeps its work files outside the drop folder, and refuses a work folder inside it", async () => {
    deliver(folder, "20260319", 2_000);
    expect((await nightly("20260319")).status).toBe(0);
    expect(readdirSync(folder)).toEqual(["20260319"]);
    expect(existsSync(join(`${folder}.edgetape`, "days", "20260319.json"))).toBe(true);
    const inside = await nightly("20260319", "--work", join(folder, "work"));
    expect([inside.status, readdirSync(folder)]).toEqual([2, ["20260319"]]);
    expect(inside.stderr).toContain("name a folder outside it");
  });

  it("fails without a drop folder, even for a day that is served, and notifies the webhook", async () => {
    deliver(folder, "20260320", 2_000);
    expect((await nightly("20260320")).status).toBe(0);
    receiver.received.length = 0;
    rmSync(folder, { recursive: true });
    for (const ended of [await nightly("20260320"), await commands().run`backfill ${folder}`]) {
      const stderr = expect.stringContaining(`There is no drop folder ${folder}.`);
      expect(ended).toMatchObject({ status: 1, stderr });
    }
    expect(told()).toEqual([["nightly.failed", "failed"]]);
  });
});

describe("nightly with all datasets", () => {
  it("serves each dataset, and reports a later delivery of orders alone as degraded", async () => {
    const { folder: day, counts } = deliver(folder, "20260323", 2_000, { datasets: DATASET_NAMES });
    const whole = await nightly("20260323");
    expect([whole.status, told()]).toEqual([0, [["nightly.published", "ok"]]]);
    expect(whole.stdout).toContain(
      "20260323 is served as revision 1; trades are served as revision 1; quotes are served as revision 1.",
    );
    for (const dataset of DATASET_NAMES) {
      const served = await dayAt(service, "20260323", dataset);
      // The answer has the property `dataset` for every dataset except orders.
      const named = dataset === "orders" ? {} : { dataset };
      expect(served).toMatchObject({ ...named, rows: counts[dataset], revision: 1 });
    }

    deliver(folder, "20260324", 2_000);
    const lacking = await nightly("20260324");
    expect([lacking.status, told().at(-1)]).toEqual([3, ["nightly.degraded", "warning"]]);
    expect(lacking.stdout).toContain(
      "20260324 is served as revision 1, without trades and quotes, which other days have.",
    );
    expect(lacking.stdout).toContain("the delivery has no trades, which other days have");
    expect(lacking.stdout).toContain("the delivery has no quotes, which other days have");
    expect(await stateOf("20260324")).toBe("available");

    rmSync(join(folder, "20260324"), { recursive: true });
    const idle = await nightly("20260324");
    expect([idle.status, idle.stdout.split("\n")]).toEqual([
      0,
      [
        "20260324 is served, and nothing new was delivered.",
        "Its trades are not served, although other days have this dataset.",
        "Its quotes are not served, although other days have this dataset.",
        "",
      ],
    ]);

    // A fault in the trades does not delay the orders.
    appendFileSync(join(day, "600519.SH", "逐笔成交.csv"), "600519.SH,600519,20260323,nonsense\r\n");
    appendFileSync(
      join(day, "600519.SH", "逐笔委托.csv"),
      "600519.SH,600519,20260323,145959990,0,1,A,B,10000,100,\r\n",
    );
    const half = await nightly("20260323");
    expect([half.status, told().at(-1)]).toEqual([1, ["nightly.failed", "failed"]]);
    expect(half.stdout).toContain(
      "20260323 is served as revision 2; quotes were already served with this content, as revision 1",
    );
    expect(half.stderr).toContain("20260323: trades: 1 lines are broken, 0 are allowed");
    expect(title()).toContain("no trades were published from this delivery");
    expect(packsOf("20260323")).toEqual([]);
    const { outcome } = JSON.parse(readFileSync(join(`${folder}.edgetape`, "days", "20260323.json"), "utf8"));
    expect(outcome.datasets[1]).toMatchObject({
      dataset: "trades",
      brokenRows: 1,
      quarantine: join(`${folder}.edgetape`, "packs", "20260323_trades.quarantine.csv"),
    });
  });

  it("marks only the dataset of an unread file as degraded, and checks no pack of an earlier delivery", async () => {
    const { folder: day } = deliver(folder, "20260326", 2_000, { datasets: DATASET_NAMES });
    copyFileSync(join(day, "600519.SH", "逐笔成交.csv"), join(day, "copy.csv.ok"));
    expect((await nightly("20260326", "--keep")).status).toBe(3);
    const isDegraded = async (dataset: DatasetName) => (await dayAt(service, "20260326", dataset)).degraded;
    expect(await Promise.all(DATASET_NAMES.map(isDegraded))).toEqual([false, true, false]);
    expect(packsOf("20260326")).toEqual([
      "20260326.parquet",
      "20260326_aucde.parquet",
      "20260326_quotes.parquet",
      "20260326_trades.parquet",
    ]);

    deliver(folder, "20260326", 2_000, { datasets: ["orders", "quotes"] });
    expect((await nightly("20260326", "--force")).status).toBe(3);
    const sheet = readFileSync(join(`${folder}.edgetape`, "packs", "20260326_quality.json"), "utf8");
    expect(JSON.parse(sheet).packs).toMatchObject({ orders: expect.any(String), trades: null });
    expect(packsOf("20260326")).toEqual([]);
  });
});

describe("nightly with quotes", () => {
  it("offers the auction pack made from the quotes, until a delivered auction pack replaces it permanently", async () => {
    const all = { datasets: DATASET_NAMES };
    const name = "20260325_aucde.parquet";
    deliver(folder, "20260325", 2_000, all);
    const made = await nightly("20260325");
    expect([made.status, made.stderr]).toEqual([0, expect.any(String)]);
    expect(made.stdout).toContain(`${name}, made from the quotes, is offered as revision 1`);

    writeFileSync(join(folder, name), auctionPack("20260325").bytes);
    const given = await nightly("20260325");
    expect(given.stdout).toContain(`${name} is offered as revision 2`);
    expect(given.stdout).not.toContain("made from the quotes");

    rmSync(join(folder, name));
    deliver(folder, "20260325", 2_000, { ...all, seed: "again" });
    const again = await nightly("20260325", "--force");
    expect(again.stdout).toContain(`${name}, made from the quotes, is not offered: Revision 2 of ${name}`);
  });
});

describe("nightly without a delivery", () => {
  it("fails when the calendar does not say which day is expected", async () => {
    const { status, stderr } = await commands().run`nightly ${folder} ${QUICK}`;
    expect(status).toBe(1);
    expect(stderr).toContain("edgetape calendar load");
    expect(told()).toEqual([["nightly.failed", "failed"]]);
  });
});
