import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import type { FileList } from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { coveredFiles, fileVersions } from "../../../src/catalog/files.ts";
import type { DataType } from "../../../src/entitlement/data-types.ts";
import { auctionPack, type DailyFile, ownFile } from "../../support/files.ts";
import { actionsOn, add, begin, complete, opened, publish, sent, withdraw } from "./file-operator.ts";
import { admin, query, refusal, testEnv } from "./operator.ts";

const offered = async ({ type, date }: DailyFile) => {
  const day = date as BeijingDate;
  const files = await coveredFiles(testEnv.DB, { dataType: type as DataType, from: day, to: day });
  return files.map(({ name, revision }) => `${name} ${revision}`);
};

describe("a daily file", () => {
  it("is served after a publish, not after a withdrawal, and again after the next publish", async () => {
    const file = auctionPack("20260105");
    const added = await add(file);
    expect(added.body).toMatchObject({ state: "verifying", revision: 1, sizeBytes: file.bytes.length });
    expect(await offered(file)).toEqual([]);

    expect((await publish(file)).body).toMatchObject({ state: "published" });
    expect(await offered(file)).toEqual(["20260105_aucde.parquet 1"]);
    const object = await testEnv.PACKS.get("files/auction_tick/2026/20260105/20260105_aucde.parquet/1");
    expect(await object?.bytes()).toEqual(file.bytes);

    expect((await withdraw(file, "wrong day")).body).toMatchObject({
      state: "withdrawn",
      stateNote: "wrong day",
    });
    expect(await offered(file)).toEqual([]);
    expect((await publish(file)).body).toMatchObject({ state: "published", stateNote: "" });
    expect(await offered(file)).toEqual(["20260105_aucde.parquet 1"]);
    expect(await actionsOn(file)).toEqual(["file.add", "file.publish", "file.withdraw", "file.publish"]);
  });

  it("stays served until its replacement is published, and a download that has begun can still finish", async () => {
    const [first, second] = [ownFile("20260106", "one"), ownFile("20260106", "two, longer")];
    await add(first);
    await publish(first);
    expect((await add(second)).body).toMatchObject({ state: "verifying", revision: 2 });
    expect(await offered(first)).toEqual(["20260106_trades.csv 1"]);
    await publish(second);
    expect(await offered(first)).toEqual(["20260106_trades.csv 2"]);

    const place = { dataType: "level2" as const, tradedate: "20260106" as BeijingDate, name: first.name };
    const [present, old] = await fileVersions(testEnv.DB, place, Date.now());
    expect([present?.revision, old?.revision]).toEqual([2, 1]);
    const object = await testEnv.PACKS.get(old?.objectKey ?? "", {
      onlyIf: { etagMatches: old?.etag ?? "" },
    });
    expect(object !== null && "body" in object && (await object.bytes())).toEqual(first.bytes);
    await withdraw(second);
    expect(await fileVersions(testEnv.DB, place, Date.now())).toEqual([]);
  });

  it("is listed with the other files of its day", async () => {
    const trades = ownFile("20260107", "trades");
    const quotes = ownFile("20260107", "quotes", "quotes-20260107.7z");
    for (const file of [trades, quotes]) await add(file);
    await publish(quotes);
    const list = await admin<FileList>("GET", "/files/level2?from=20260107&to=20260107");
    expect(list.body.files.map(({ name, state }) => [name, state])).toEqual([
      ["20260107_trades.csv", "verifying"],
      ["quotes-20260107.7z", "published"],
    ]);
  });

  it("keeps its revision when the same content is uploaded again, and gets a new one for other content", async () => {
    const file = auctionPack("20260108");
    await add(file);
    expect((await begin(file)).body).toMatchObject({ state: "present", file: { revision: 1 } });
    await publish(file);
    expect((await begin(file)).body).toMatchObject({ state: "present", file: { state: "published" } });
    expect((await add(auctionPack("20260108", 9))).body).toMatchObject({ revision: 2 });
    await withdraw(auctionPack("20260108", 9));
    expect(await actionsOn(file)).toEqual(["file.add", "file.publish", "file.add", "file.withdraw"]);
  });

  it("cannot be published before its upload completes, and repeated actions change nothing", async () => {
    const file = ownFile("20260109", "x");
    expect((await publish(file)).status).toBe(404);
    expect((await withdraw(file)).status).toBe(404);
    await add(file);
    for (let round = 0; round < 2; round++) expect((await publish(file)).body.state).toBe("published");
    for (let round = 0; round < 2; round++) expect((await withdraw(file)).body.state).toBe("withdrawn");
    expect(await actionsOn(file)).toEqual(["file.add", "file.publish", "file.withdraw"]);
  });
});

describe("an auction pack from the builder (contract 8.7)", () => {
  const built = { origin: "builder" } as const;
  const states = async (date: string) => {
    const { body } = await admin<FileList>("GET", `/files/auction_tick?from=${date}&to=${date}`);
    return body.files.map(({ revision, origin, state }) => `${revision} ${origin} ${state}`);
  };

  it("is replaced by the builder's next pack, and by an operator's file even if the bytes are the same", async () => {
    const [first, next] = [auctionPack("20260216"), auctionPack("20260216", 9)];
    await add(first, built);
    expect((await publish(first, built)).body).toMatchObject({ revision: 1, origin: "builder" });
    expect((await begin(first, built)).body).toMatchObject({ state: "present" });
    await add(next, built);
    await publish(next, built);
    expect(await states("20260216")).toEqual(["2 builder published"]);

    expect((await add(next)).body).toMatchObject({ revision: 3, origin: "operator", state: "verifying" });
    expect(await states("20260216")).toEqual(["2 builder published", "3 operator verifying"]);
    await publish(next);
    expect(await states("20260216")).toEqual(["3 operator published"]);
    const object = await testEnv.PACKS.head(
      "files/auction_tick/2026/20260216/20260216_aucde.parquet/2.built",
    );
    expect(object).not.toBeNull();
  });

  it("is refused if the day has an operator's file in any state", async () => {
    const [theirs, ours] = [auctionPack("20260217"), auctionPack("20260217", 9)];
    const refused = refusal(409, "operators_file");
    await add(theirs);
    expect(await begin(ours, built)).toMatchObject(refused);
    await publish(theirs);
    expect(await begin(ours, built)).toMatchObject(refused);
    await withdraw(theirs);
    expect(await begin(ours, built)).toMatchObject(refused);
    expect(await states("20260217")).toEqual(["1 operator withdrawn"]);
  });

  it("is not published, even with force, if an operator's file was added after the pack", async () => {
    const [theirs, ours] = [auctionPack("20260218"), auctionPack("20260218", 9)];
    expect((await add(ours, built)).body).toMatchObject({ revision: 1, state: "verifying" });
    await add(theirs);
    const ask = { ...built, revision: 1, force: true };
    expect(await publish(ours, ask)).toMatchObject(refusal(409, "operators_file"));
    expect(await states("20260218")).toEqual(["1 builder verifying", "2 operator verifying"]);
    expect((await publish(ours, { revision: 1 })).body).toMatchObject({ state: "published" });
  });

  it("stays withdrawn until another pack is published with force", async () => {
    const [first, next] = [auctionPack("20260219"), auctionPack("20260219", 9)];
    await add(first, built);
    await publish(first, built);
    await withdraw(first, "wrong");
    expect((await begin(first, built)).body).toMatchObject({ reason: "content_withdrawn" });
    await add(next, built);
    const ask = { ...built, revision: 2 };
    expect((await publish(next, ask)).body).toMatchObject({ reason: "target_withdrawn" });
    expect((await publish(next, { ...ask, force: true })).body).toMatchObject({ state: "published" });
  });
});

describe("a daily file is refused", () => {
  it("when its name is not allowed, for example because it names another day or contains a path", async () => {
    const names: [string, string][] = [
      ["auction_tick", "20260113_aucde.parquet"],
      ["auction_tick", "20260112_auction.parquet"],
      ["level2", "20260112_orders.parquet"],
      ["level2", "20260112_Trades.parquet"],
      ["level2", "20260112_quotes.Parquet"],
      ["level2", "trades.csv"],
      ["level2", "20260113_trades.csv"],
      ["level2", "20260112_to_20260113.csv"],
      ["level2", ".20260112"],
      ["level2", "20260112 trades.csv"],
      ["level2", "20260112/trades.csv"],
      ["level2", "..20260112"],
      ["level2", `20260112_${"a".repeat(130)}`],
      ["orders", "20260112_trades.csv"],
    ];
    for (const [type, name] of names) {
      const refused = await begin({ ...ownFile("20260112", "x", name), type });
      expect(refused.status, name).toBeGreaterThanOrEqual(400);
      expect(refused.body.error).not.toBe("");
    }
    expect(await query`SELECT 1 FROM uploads WHERE target LIKE '%20260112%'`.first()).toBeNull();
  });

  it("when its bytes differ from those that the upload announced", async () => {
    const file = ownFile("20260114", "twelve bytes");
    const begun = await sent(file, { sha256: "0".repeat(64) });
    const refused = refusal(422, "content_wrong", "20260114_trades.csv was refused: its SHA-256");
    expect(await complete(file, begun)).toMatchObject(refused);
    expect((await publish(file)).status).toBe(404);
    expect((await complete(file, begun)).status).toBe(409);
    expect((await add(file)).body).toMatchObject({ state: "verifying" });
  });

  it("as an auction pack when it is not Parquet, has no rows, is not in ZSTD or is for another day", async () => {
    const whole = auctionPack("20260115");
    const column = (codec: "ZSTD" | "UNCOMPRESSED" | "SNAPPY") => ({
      name: codec,
      type: "INT64" as const,
      data: [1n, 2n],
      codec,
    });
    const compressors = { ZSTD: (bytes: Uint8Array) => bytes };
    const written = (...codecs: Parameters<typeof column>[0][]) =>
      new Uint8Array(parquetWriteBuffer({ columnData: codecs.map(column), compressors }));
    const wrong: [string, Uint8Array][] = [
      ["too short", whole.bytes.slice(0, 8)],
      ["PAR1", ownFile("20260115", "symbol,tradedate,time\n000001,20260115,091500000\n").bytes],
      ["PAR1", whole.bytes.slice(0, -1)],
      ["footer cannot have", new Uint8Array([...whole.bytes.slice(0, -8), 255, 255, 255, 0, 80, 65, 82, 49])],
      ["cannot be read", new Uint8Array([80, 65, 82, 49, 1, 2, 3, 4, 4, 0, 0, 0, 80, 65, 82, 49])],
      ["no rows", auctionPack("20260115", 0).bytes],
      ["its column tradedate has 20260114, not 20260115", auctionPack("20260114").bytes],
      ["column UNCOMPRESSED is compressed with UNCOMPRESSED, not ZSTD", written("ZSTD", "UNCOMPRESSED")],
      ["column SNAPPY is compressed with SNAPPY, not ZSTD", written("SNAPPY", "ZSTD")],
    ];
    for (const [problem, bytes] of wrong) {
      const refused = await add({ ...whole, bytes });
      expect(refused.status, problem).toBe(422);
      expect(refused.body.error).toContain(problem);
    }
    expect(await offered(whole)).toEqual([]);
    const list = await admin<FileList>("GET", "/files/auction_tick?from=20260115&to=20260115");
    expect(list.body.files).toEqual([]);
    expect((await add(whole)).body).toMatchObject({ state: "verifying" });
  });

  it("for its content only when it is an auction pack or its name ends in .parquet", async () => {
    expect((await add(ownFile("20260116", "\0not Parquet"))).body).toMatchObject({ state: "verifying" });
    const named = ownFile("20260116", "\0not Parquet, and long enough", "20260116_books.Parquet");
    expect(await add(named)).toMatchObject(refusal(422, "content_wrong", "PAR1"));
    const { bytes } = auctionPack("20260116");
    expect((await add({ ...named, bytes })).body).toMatchObject({ state: "verifying" });
  });
});

describe("concurrent operators with one file", () => {
  it("can complete only one of two uploads with different content, and the other upload gets 409", async () => {
    const [one, two] = [ownFile("20260119", "one"), ownFile("20260119", "the other")];
    const [first, second] = [await opened(one), await sent(two)];
    const [late, served] = await Promise.all([complete(one, first), complete(two, second)]);
    expect(late.status).toBe(409);
    expect(late.body.error).toContain("Another publisher");
    expect(served.body).toMatchObject({ state: "verifying", sizeBytes: two.bytes.length });
  });

  it("can publish it only once", async () => {
    const file = ownFile("20260120", "x");
    await add(file);
    const answers = await Promise.all([publish(file), publish(file), publish(file)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(await offered(file)).toEqual(["20260120_trades.csv 1"]);
    expect((await actionsOn(file)).filter((action) => action === "file.publish")).toHaveLength(1);
  });
});

describe("a file upload that stopped during its check", () => {
  it("completes when it is run again", async () => {
    const file = ownFile("20260121", "stopped");
    const begun = await sent(file);
    await query`UPDATE uploads SET state = 'completing' WHERE upload_id = ${begun.uploadId}`.run();
    expect((await publish(file)).status).toBe(404);
    for (let round = 0; round < 2; round++)
      expect((await complete(file, begun)).body).toMatchObject({ state: "verifying", revision: 1 });
  });
});
