/** Tests the console's pages about keys, requests, data and shares, and their escaping of text from users and URLs. */
import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { DATASETS } from "../../src/datasets/registry.ts";
import type { PlanName } from "../../src/entitlement/principal.ts";
import { sizeText } from "../../src/pages/figures.ts";
import { randomRows } from "../support/builders.ts";
import { type Holder, signIn } from "../support/console.ts";
import { publishSections } from "../support/dataset-days.ts";
import { shareOf } from "../support/drive.ts";
import { addFile, auctionPack } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { account, asOperator, publish, type TestAccount } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { randomFrom } from "../support/random.ts";
import { BEFORE_WINDOW, MAIN, OLDEST, sharedWorld } from "./world.ts";

const world = await sharedWorld("refusals");
afterAll(() => world.stop());

async function holderOf(plan: PlanName): Promise<TestAccount & { holder: Holder }> {
  const made = await account(world.service, { plan });
  return { ...made, holder: await signIn(world.service, made.accountId) };
}

const english = async (holder: Holder, path: string) => {
  const { headers } = await holder.ask("GET", `${path}${path.includes("?") ? "&" : "?"}lang=en`);
  const look = String(headers["set-cookie"]).split(";")[0];
  return (await holder.ask("GET", path, undefined, { cookie: `${holder.cookie}; ${look}` })).text;
};
const keyIn = (page: string) => /et_[0-9A-Za-z]{36}/.exec(page)?.[0] ?? "";
const works = async (apikey: string) =>
  (await world.service.post(orderHistory({ apikey, params: { symbol: "600519", tradedate: MAIN } }))).envelope
    .code;

describe("the console's keys page", () => {
  it("shows a new key only once, in the response that creates it, and the key works immediately", async () => {
    const { holder } = await holderOf("flagship");
    const made = await holder.ask("POST", "/console/keys", { name: "night job" });
    const key = keyIn(made.text);
    expect(made.status).toBe(201);
    expect(await works(key)).toBe(200);
    const page = (await holder.ask("GET", "/console/keys")).text;
    expect(page).toContain("night job");
    expect(page).not.toContain(key);
  });

  it("replaces a key with a new one, and keeps the old key valid for the chosen overlap", async () => {
    const { holder, key: old, keys } = await holderOf("flagship");
    const path = `/console/keys/${keys[0]?.keyId}/roll`;
    const fresh = keyIn((await holder.ask("POST", path, { hours: "24" })).text);
    expect([await works(fresh), await works(old)]).toEqual([200, 200]);
    expect((await holder.ask("POST", path, { hours: "999" })).status).toBe(404);
  });

  it("revokes an unused key immediately when a new key replaces it without overlap", async () => {
    const { holder, key: old, keys } = await holderOf("flagship");
    await holder.ask("POST", `/console/keys/${keys[0]?.keyId}/roll`, { hours: "0" });
    expect(await works(old)).toBe(403);
  });

  it("allows at most 50 active keys, also for 25 concurrent requests and for a new key that overlaps the old one", async () => {
    const { holder, accountId, keys } = await holderOf("flagship");
    const db = await world.service.mf.getD1Database("DB");
    const insert = db.prepare(
      "INSERT INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms) VALUES (?, ?, ?, '', '', 1)",
    );
    const filled = Array.from({ length: 39 }, (_, n) => `${accountId}-${n}`);
    await db.batch(
      filled.map((id) => insert.bind(createHash("sha256").update(id).digest("hex"), `key_${id}`, accountId)),
    );
    const inForce = () =>
      db
        .prepare(
          `SELECT count(*) AS n FROM api_keys WHERE account_id = ?1 AND revoked_at_ms IS NULL
           AND coalesce(expires_at_ms > ?2, 1)`,
        )
        .bind(accountId, Math.floor(world.service.nowMs()))
        .first<{ n: number }>();
    const posts = Array.from({ length: 25 }, () => holder.ask("POST", "/console/keys", {}));
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 409)).toHaveLength(15);
    expect(await inForce()).toEqual({ n: 50 });
    const told = await db
      .prepare("SELECT count(*) AS n FROM audit WHERE action = 'key.issue' AND after ->> 'accountId' = ?1")
      .bind(accountId)
      .first<{ n: number }>();
    expect(told).toEqual({ n: 11 });
    const roll = (hours: string) =>
      holder.ask("POST", `/console/keys/${keys[0]?.keyId}/roll`, { hours }).then(({ status }) => status);
    expect(await roll("24")).toBe(409);
    expect(await roll("0")).toBe(201);
    expect(await inForce()).toEqual({ n: 50 });
  });

  it("escapes HTML in the name of a key", async () => {
    const { holder } = await holderOf("trial");
    const name = `<script>alert("x")</script>`;
    const page = (await holder.ask("POST", "/console/keys", { name })).text;
    expect(page).not.toContain("<script>alert");
    expect(page).toContain("&lt;script&gt;alert");
  });
});

describe("the console's Try it page", () => {
  it("fills in its form from the URL's query and escapes HTML in the values", async () => {
    const { holder } = await holderOf("trial");
    const symbol = `"><script>alert(1)</script>`;
    const { text } = await holder.ask(
      "GET",
      `/console/try?op=data_symbols&tradedate=${encodeURIComponent(symbol)}`,
    );
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("&lt;script&gt;alert(1)");
  });
});

describe("the console's overview", () => {
  it("shows the plan, its window, today's usage and the results of the last requests", async () => {
    const { holder, key } = await holderOf("professional");
    const ask = (tradedate: string) =>
      world.service.post(
        orderHistory({ apikey: key, params: { symbol: "600519", tradedate, format: "parquet" } }),
      );
    await ask(MAIN);
    await ask(BEFORE_WINDOW);
    const page = await english(holder, "/console/");
    for (const said of ["Professional", "2026-02-11 to 2026-03-12", "1 of 30", "outside_window"]) {
      expect(page).toContain(said);
    }
    expect(page).toContain("Date outside the plan&#39;s window");
  });

  it("shows each interface's totals for 30 days, including requests that only the gate has counted so far", async () => {
    const { holder, key, accountId } = await holderOf("flagship");
    expect(await english(holder, "/console/")).toContain("Nothing was used.");
    const db = await world.service.mf.getD1Database("DB");
    const insert = "INSERT INTO usage VALUES (?, ?, 'level2_order_history', ?, ?, ?)";
    await db.batch(
      [
        ["20260210", 900, 900, 9e9],
        ["20260211", 40, 3, 5e6],
        ["20260312", 0, 0, 0],
      ].map(([day, ...counts]) => db.prepare(insert).bind(day, accountId, ...counts)),
    );
    const params = { symbol: "600519", tradedate: MAIN, format: "parquet" };
    const { bytes } = await world.service.post(orderHistory({ apikey: key, params }));
    const page = await english(holder, "/console/");
    const figures = [...page.matchAll(/<dt>(Requests|Files|Traffic)<\/dt><dd>([^<]*)</g)];
    const sizes = sizeText(5e6 + bytes.length);
    expect(figures.map(([, name, value]) => `${name} ${value}`)).toEqual([
      ...["Requests 41", "Files 4", `Traffic ${sizes}`],
    ]);
    expect(page).toContain("the maximum was 40 on 2026-02-11");
    expect(page).toContain(`<td class="number">${sizeText(bytes.length)}</td>`);
  });
});

describe('the "used today" figures on the overview', () => {
  it("say that nothing is counted for a plan without order history, and that a trial's files count as requests", async () => {
    const free = await english((await holderOf("free")).holder, "/console/");
    expect(free).toContain("there is nothing to count");
    expect(free).not.toContain("no limit");
    const trial = await english((await holderOf("trial")).holder, "/console/");
    expect(trial).toContain("0 of 100");
    expect(trial).toContain("0 (counted as requests)");
  });
});

describe("the links on the console's pages", () => {
  it("all lead to pages that exist", async () => {
    const { holder } = await holderOf("flagship");
    await holder.ask("POST", "/console/keys", { name: "one" });
    const seen = new Set<string>();
    for (const page of ["", "keys", "data", `day?day=${MAIN}`, "try", "shares"]) {
      const { text } = await holder.ask("GET", `/console/${page}`);
      for (const [, address = ""] of text.matchAll(/href="(\/[^"]*)"/g))
        seen.add(address.replaceAll("&amp;", "&"));
    }
    expect(seen.size).toBeGreaterThan(15);
    for (const address of seen) {
      const { status } = await holder.ask("GET", address, undefined, { accept: "text/html" });
      expect(status, address).toBeLessThan(400);
    }
  });
});

describe("the console's data page", () => {
  it("shows the trading days of a chosen year, including days without data", async () => {
    const { holder } = await holderOf("flagship");
    const page = await english(holder, "/console/data?year=2025");
    expect(page).toContain(`day=${OLDEST}`);
    expect(page).toMatch(/2025-01-07, missing/);
  });

  it("shows no day before the plan's window, and no day at all for a plan without tick history", async () => {
    const professional = await english((await holderOf("professional")).holder, "/console/data");
    expect(professional).toContain(`day=${MAIN}`);
    expect(professional).not.toContain(`day=${BEFORE_WINDOW}`);
    const standard = await english((await holderOf("standard")).holder, "/console/data");
    expect(standard).toContain("does not include tick history");
    expect(standard).not.toMatch(/tradedate=|day=/);
  });
});

describe("the console's page about a day", () => {
  it("shows the day's datasets and the result of each quality check", async () => {
    const { holder } = await holderOf("flagship");
    const checks = {
      matching: { passed: 41, failed: 2, not_provable: 3 },
      gaps: { passed: 0, failed: 0, not_provable: 46 },
      later_check: { passed: 46, failed: 0, not_provable: 0 },
    };
    const summary = "failed: 600519.SH matching fill_unknown × 2";
    await publish(world.service, world.main, "trades", { verdict: "failed", summary, checks });
    const page = await english(holder, `/console/day?day=${MAIN}`);
    const rows = [...page.matchAll(/<th scope="row">(.*?)<\/tr>/g)].map(([, row = ""]) =>
      row
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
    expect(rows[0]).toMatch(/^Orders served .* not checked Open$/);
    expect(rows[1]).toMatch(/^Trades served .* failed Open$/);
    expect(rows).toContain("matching cancels and fills agree with their orders 41 2 3");
    expect(rows).toContain("later_check 46 0 0");
    expect(page).toContain("<code>gaps</code> looks for lost trades.");
    expect(page).toContain("Quality check of trades");
    expect(page).toContain(summary);
    const data = await english(holder, "/console/data?dataset=trades");
    expect(data).toContain("served, ");
    expect(data).toMatch(new RegExp(`day=${MAIN}"[^>]*>[^<]*</a> the quality check failed`));
  });

  it("shows `before your data begins` for a dataset whose first day is later, as the data page does", async () => {
    const columns = randomRows(randomFrom(20_260_311), DATASETS.quotes, { rows: 5 });
    await publishSections(world.service, "quotes", MAIN, [{ symbol: "600519", market: "SH", columns }]);
    const { holder } = await holderOf("flagship");
    const page = await english(holder, `/console/day?day=${BEFORE_WINDOW}`);
    const states = new Map(
      [...page.matchAll(/<th scope="row">(\w+)<\/th><td class="nowrap">([^<]*)</g)].map(([, name, state]) => [
        name,
        state,
      ]),
    );
    expect(states.get("Orders")).toBe("served");
    expect(states.get("Quotes")).toBe("before your data begins");
    expect(await english(holder, "/console/data?dataset=quotes")).toContain(
      "2026-02-10, before your data begins",
    );
    const later = await english(holder, "/console/day?day=20260312");
    expect(later).toMatch(/<th scope="row">Quotes<\/th><td class="nowrap">expected</);
  });

  it("says who made the day's auction file, if the plan includes such files", async () => {
    const rows = async (plan: PlanName) => {
      const page = await english((await holderOf(plan)).holder, `/console/day?day=${MAIN}`);
      return /<h2 id="auction">.*?<tbody>(.*?)<\/tbody>/s.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, " ") ?? "";
    };
    expect(await rows("flagship")).toBe("");
    for (const [origin, said] of [
      ["builder", "created by this service from the day's quotes"],
      ["operator", "added by the operator"],
    ] as const) {
      const file = auctionPack(MAIN, origin === "builder" ? 5 : 6);
      const { revision } = await addFile(world.service, file, origin);
      const path = `/admin/files/auction_tick/${MAIN}/${file.name}/publish`;
      await asOperator(world.service, "POST", path, { revision, origin });
      const shown = (await rows("flagship")).replaceAll("&#39;", "'");
      expect(shown).toContain(file.name);
      expect(shown).toContain(said);
    }
    // The trial plan includes order history but no shares.
    expect(await rows("trial")).toBe("");
  });

  it("returns 404 for a day outside the plan's window, a future day and an invalid date", async () => {
    const { holder } = await holderOf("professional");
    for (const day of [BEFORE_WINDOW, "20990101", "20260231", "x", ""]) {
      expect((await holder.ask("GET", `/console/day?day=${day}`)).status).toBe(404);
    }
    expect((await holder.ask("GET", `/console/day?day=${MAIN}`)).status).toBe(200);
    const standard = (await holderOf("standard")).holder;
    expect((await standard.ask("GET", `/console/day?day=${MAIN}`)).status).toBe(404);
  });
});

describe("the console's shares page", () => {
  it("lists a share's URL but not its password, and omits the share after it is revoked", async () => {
    const { holder, key } = await holderOf("flagship");
    const share = await shareOf(world.service, key);
    const page = (await holder.ask("GET", "/console/shares")).text;
    expect(page).toContain(share.url);
    expect(page).not.toContain(share.password);
    expect((await holder.ask("POST", `/console/shares/${share.shareId}/revoke`, {})).status).toBe(303);
    expect((await holder.ask("GET", "/console/shares")).text).not.toContain(share.url);
  });

  it("shows a share's password only in the response to the button that requests it", async () => {
    const { holder, key } = await holderOf("flagship");
    const share = await shareOf(world.service, key);
    const told = await holder.ask("POST", `/console/shares/${share.shareId}/password`, {});
    expect(told.status).toBe(200);
    expect(told.headers["cache-control"]).toContain("no-store");
    expect(told.text).toContain(share.password);
    expect((await holder.ask("GET", "/console/shares")).text).not.toContain(share.password);
  });

  it("opens the account's own share without a password, and sets a cookie that opens no other share", async () => {
    const { holder, key } = await holderOf("flagship");
    const share = await shareOf(world.service, key);
    const opened = await holder.ask("POST", `/console/shares/${share.shareId}/open`, {});
    expect([opened.status, opened.headers.location]).toEqual([303, `/s/${share.shareId}/`]);
    const cookie = String(opened.headers["set-cookie"]);
    expect(cookie).toContain(`Path=/s/${share.shareId}/;`);
    expect(cookie).not.toContain(share.password);
    const other = await shareOf(world.service, (await holderOf("flagship")).key);
    const status = async (url: string) =>
      (await call(url, { method: "GET", headers: { cookie: cookie.split(";")[0] ?? "" } })).status;
    expect([await status(share.url), await status(other.url)]).toEqual([200, 401]);
    await holder.ask("POST", `/console/shares/${share.shareId}/revoke`, {});
    expect((await holder.ask("POST", `/console/shares/${share.shareId}/open`, {})).status).toBe(404);
    expect((await holder.ask("POST", `/console/shares/${share.shareId}/password`, {})).status).toBe(404);
  });
});
