/** `edgetape files`, `external` and `share` as an operator runs them, each as a separate process. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandsOf, edgetape } from "../support/edgetape.ts";
import { askShare, auctionPack, shareIn } from "../support/files.ts";
import { account } from "../support/operator.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const folder = testFolder("edgetape-files-");
const service = await testService();
const { run, done } = commandsOf(service);
const flagship = await account(service, { plan: "flagship" });

const share = async (data_type: string, year: number) =>
  shareIn(await askShare(service, flagship.key, { data_type, year }));
const onDisk = (name: string, bytes: Uint8Array | string) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

describe("edgetape files", () => {
  it("adds an auction pack, which is in shares from its publication until its withdrawal", async () => {
    const path = onDisk("20260311_aucde.parquet", auctionPack("20260311").bytes);
    const place = ["--type", "auction_tick", "--date", "20260311"];
    expect(await done`files add ${path} ${place}`).toMatch(
      /^20260311_aucde\.parquet is added, not published yet: /,
    );
    expect(await done`files publish ${place}`).toContain("is published: revision 1");
    expect((await share("auction_tick", 2026)).file_count).toBe(1);
    const month = ["files", "list", "--type", "auction_tick", "--month", "202603"];
    const listed = /20260311 +auction_tick +20260311_aucde\.parquet +1 +published +[\d.]+ kB/;
    expect(await done`${month}`).toMatch(listed);
    expect(await done`files list --month 202603`).toMatch(listed);
    const unasked = await run`files withdraw ${place}`;
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining("add --yes") });
    expect((await share("auction_tick", 2026)).file_count).toBe(1);
    const withdraw = ["files", "withdraw", ...place, "--note", "late", "--yes"];
    expect(await done`${withdraw}`).toContain("withdrawn (late)");
    expect((await askShare(service, flagship.key, { data_type: "auction_tick", year: 2026 })).reason).toBe(
      "nothing_published",
    );
    expect(await done`files list --type auction_tick --month 202602`).toContain(
      "No auction_tick files were added in 202602; --month YYYYMM shows another month.",
    );
  });

  it("adds and publishes a file under a new name in one command, and a second run changes nothing", async () => {
    const path = onDisk("quotes.7z", "not really");
    const add = ["files", "add", path, "--type", "level2", "--date", "20260311"];
    const unnamed = await run`${add}`;
    expect(unnamed).toMatchObject({ status: 2, stdout: "" });
    expect(unnamed.stderr).toContain("must contain the day 20260311");
    for (let round = 0; round < 2; round++) {
      const answer = await done`${add} --name 20260311_quotes.7z --publish --json`;
      expect(JSON.parse(answer)).toMatchObject({ state: "published", revision: 1, sizeBytes: 10 });
    }
    expect(await share("level2", 2026)).toMatchObject({ file_count: 1, size_bytes: 10 });
  });

  it("reports what is wrong with a file, and does not add it", async () => {
    const csv = onDisk("20260310_aucde.parquet", "symbol,tradedate,time\n");
    const refused = await run`files add ${csv} --type auction_tick --date 20260310`;
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/^edgetape: .*20260310_aucde\.parquet is refused: .*PAR1\.\n$/);
    const absent = await run`files publish --type auction_tick --date 20260310`;
    expect(absent.stderr).toBe("edgetape: There is no file 20260310_aucde.parquet.\n");
  });
});

describe("edgetape external", () => {
  const drive = ["--type", "auction_tick", "--year", "2024"];
  const coverage = ["--from", "20240102", "--to", "20241231", "--files", "242", "--bytes", "9000000000"];

  it("registers an external share, adds a link with a password from standard input, and removes the share", async () => {
    expect(await done`external set ${drive} ${coverage}`).toContain("being prepared");
    expect(await share("auction_tick", 2024)).toMatchObject({ status: "preparing", file_count: 242 });
    const link = ["--link", "https://pan.example.com/s/9", "--expires", "2027-01-01", "--password-stdin"];
    const set = await edgetape(["external", "set", ...drive, ...coverage, ...link], service, "q7-提取\n");
    expect(set).toMatchObject({ status: 0, stderr: "" });
    expect(set.stdout).toContain("until 2027-01-01T00:00:00+08:00");
    expect(set.stdout).not.toContain("提取");
    expect(await share("auction_tick", 2024)).toMatchObject({
      status: "ready",
      url: "https://pan.example.com/s/9",
      password: "q7-提取",
      expires_at: "2027-01-01T00:00:00+08:00",
    });
    expect(await done`external list`).not.toContain("提取");
    expect(await run`external clear ${drive}`).toMatchObject({ status: 2, stdout: "" });
    expect(await done`external list`).toContain("https://pan.example.com/s/9");
    expect(await done`external clear ${drive} --yes`).toBe("No external share is registered.\n");
  });

  it("requires --link and --expires together", async () => {
    const link = ["--link", "https://pan.example.com/s/9"];
    const half = await run`external set ${drive} ${coverage} ${link}`;
    expect(half).toMatchObject({ status: 2, stderr: expect.stringContaining("--link and --expires") });
  });
});

describe("edgetape share", () => {
  it("lists an account's shares and revokes one, after which the customer's next request creates a new share", async () => {
    const { url } = await share("level2", 2026);
    const shareId = url.split("/s/")[1]?.slice(0, -1) ?? "";
    expect(await done`share list ${flagship.accountId}`).toMatch(
      new RegExp(`^${shareId} +${flagship.accountId} +level2 +2026`, "m"),
    );
    expect(await done`share list`).toMatch(new RegExp(`^${shareId} +${flagship.accountId} `, "m"));
    expect(await run`share revoke ${shareId}`).toMatchObject({ status: 2, stdout: "" });
    expect((await share("level2", 2026)).url).toBe(url);
    expect(await done`share revoke ${shareId} --yes`).toContain(`Share ${shareId} of account`);
    expect((await share("level2", 2026)).url).not.toBe(url);
    expect((await run`share list unknown`).stderr).toBe("edgetape: There is no account unknown.\n");
  });
});
