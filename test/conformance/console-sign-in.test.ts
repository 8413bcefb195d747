/**
 * Tests signing in to and out of the console: one-time links, the end of sessions, and forms that only the console's
 * own pages can send.
 */
import { afterAll, describe, expect, it } from "vitest";
import type { Account } from "../../src/admin/wire.ts";
import { type Holder, inviteTo, ownForm, signIn } from "../support/console.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { sharedWorld } from "./world.ts";

const world = await sharedWorld();
const { service } = world;
const owner = await account(service, { plan: "flagship" });
afterAll(() => world.stop());

const open = (url: string, headers: Record<string, string> = {}) => call(url, { method: "GET", headers });
const press = (url: string, headers = ownForm(service)) => call(url, { method: "POST", headers });
const setCookie = (answer: Answer) => String(answer.headers["set-cookie"] ?? "");
const english = { "accept-language": "en" };
const overview = (holder: Holder) => holder.ask("GET", "/console/");

describe("a one-time sign-in link", () => {
  it("stays valid however often it is opened, because link previews open it too", async () => {
    const url = await inviteTo(service, owner.accountId);
    for (let times = 0; times < 5; times++) {
      const page = await open(url);
      expect(page.status).toBe(200);
      expect(setCookie(page)).toBe("");
      await call(url, { method: "HEAD" });
    }
    expect((await press(url)).status).toBe(303);
  });

  it("signs its holder in at the first press of its button, and is refused from then on", async () => {
    const url = await inviteTo(service, owner.accountId);
    const first = await press(url);
    expect(first.headers.location).toBe("/console/");
    expect(setCookie(first)).toMatch(
      /^edgetape_console=[0-9A-Za-z]{43}; Path=\/console; Expires=.* GMT; HttpOnly; SameSite=Lax$/,
    );
    const second = await press(url, { ...ownForm(service), ...english });
    expect(second.status).toBe(403);
    expect(second.text).toContain("This link was used already.");
    expect(setCookie(second)).toBe("");
    const opened = await open(url, english);
    expect(opened.status).toBe(403);
    expect(opened.text).toContain("This link was used already.");
    expect(opened.text).not.toContain('<form method="post"');
  });

  it("creates exactly one session when the button is pressed ten times concurrently", async () => {
    const url = await inviteTo(service, owner.accountId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => press(url)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter((answer) => setCookie(answer) !== "")).toHaveLength(1);
  });

  it("is refused when the form comes from another origin, and stays valid after that", async () => {
    const url = await inviteTo(service, owner.accountId);
    const alike = [`${service.baseUrl}.evil.example`, service.baseUrl.replace("http:", "https:")];
    for (const origin of ["https://evil.example", ...alike, "null"]) {
      expect((await press(url, { ...ownForm(service), origin })).status).toBe(403);
    }
    expect((await call(url, { method: "POST" })).status).toBe(403);
    expect((await press(url)).status).toBe(303);
  });

  it("expires, and is refused when the account is disabled", async () => {
    const db = await service.mf.getD1Database("DB");
    const late = await inviteTo(service, owner.accountId);
    await db
      .prepare("UPDATE console_invites SET expires_at_ms = ?1")
      .bind(Math.floor(service.nowMs()) - 1)
      .run();
    expect((await press(late, { ...ownForm(service), ...english })).text).toContain("This link has expired.");
    expect((await open(late, english)).text).toContain("This link has expired.");
    const other = await account(service, { plan: "trial" });
    const url = await inviteTo(service, other.accountId);
    await asOperator(service, "POST", `/admin/accounts/${other.accountId}/disable`);
    expect((await press(url, { ...ownForm(service), ...english })).text).toContain(
      "This account is disabled.",
    );
    expect((await open(url, english)).text).toContain("This account is disabled.");
    await asOperator(service, "POST", `/admin/accounts/${other.accountId}/enable`);
    expect((await press(url, { ...ownForm(service), ...english })).text).toContain("This link has expired.");
  });

  it("can be created only by an operator, for an existing account, with a validity of at most a week", async () => {
    const path = `/admin/accounts/${owner.accountId}/invites`;
    expect((await service.admin("POST", "/admin/accounts/unknown/invites", {})).status).toBe(404);
    expect((await service.admin("POST", path, { validMs: 8 * 86_400_000 })).status).toBe(400);
    expect((await service.admin("POST", path, { forever: true })).status).toBe(400);
    expect((await call(service.baseUrl + path, { method: "POST", body: {} })).status).toBe(401);
  });
});

describe("a second press of the sign-in button", () => {
  /** Opens a sign-in link and returns the body that its form sends. A token in the body identifies repeated presses. */
  const pressOn = async (url: string) => {
    const [, value] = /name="press" value="([0-9A-Za-z]{43})"/.exec((await open(url)).text) ?? [];
    return new URLSearchParams({ press: value ?? "" }).toString();
  };
  const submit = (url: string, body: string, headers: Record<string, string> = {}) =>
    call(url, { method: "POST", headers: { ...ownForm(service), ...english, ...headers }, body });
  const cookieOf = (answer: Answer) => setCookie(answer).split(";")[0] ?? "";
  const count = async () => {
    const db = await service.mf.getD1Database("DB");
    return (await db.prepare("SELECT count(*) AS n FROM console_sessions").first<{ n: number }>())?.n ?? 0;
  };

  it("on the same page returns the session of the first press, whether the presses overlap or not", async () => {
    for (const isAtOnce of [true, false]) {
      const url = await inviteTo(service, owner.accountId);
      const form = await pressOn(url);
      const before = await count();
      const first = submit(url, form);
      if (!isAtOnce) await first;
      const answers = [await first, await submit(url, form)];
      answers.push(await submit(url, form, { cookie: cookieOf(await first) }));
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
      const cookies = answers.map(cookieOf);
      expect(new Set(cookies).size).toBe(1);
      expect(await count()).toBe(before + 1);
      const signedIn = await open(`${service.baseUrl}/console/`, { cookie: cookies[1] ?? "" });
      expect(signedIn.status).toBe(200);
    }
  });

  it("is refused from another browser, after a minute, and after the first session has ended", async () => {
    const url = await inviteTo(service, owner.accountId);
    const [mine, other] = [await pressOn(url), await pressOn(url)];
    expect(mine).not.toBe(other);
    const cookie = cookieOf(await submit(url, mine));
    expect((await submit(url, other)).text).toContain("This link was used already.");
    const db = await service.mf.getD1Database("DB");
    await db.prepare("UPDATE console_sessions SET created_at_ms = created_at_ms - 60000").run();
    expect((await submit(url, mine)).text).toContain("This link was used already.");
    await db.prepare("UPDATE console_sessions SET created_at_ms = created_at_ms + 60000").run();
    expect((await submit(url, mine)).status).toBe(303);
    const form = { ...ownForm(service), cookie };
    const page = await open(`${service.baseUrl}/console/`, { cookie });
    const token = /name="form" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? "";
    const body = new URLSearchParams({ form: token }).toString();
    await call(`${service.baseUrl}/console/sign-out`, { method: "POST", headers: form, body });
    expect((await submit(url, mine)).text).toContain("This link was used already.");
  });
});

describe("an account's console sessions and sign-in links", () => {
  const accountPath = (accountId: string) => `/admin/accounts/${accountId}`;
  const consoleOf = async (accountId: string) =>
    (await asOperator<Account>(service, "GET", accountPath(accountId))).console;

  it("are listed for the operator, and all end when the operator signs the account out", async () => {
    const other = await account(service, { plan: "flagship" });
    const holders = [await signIn(service, other.accountId), await signIn(service, other.accountId)];
    const link = await inviteTo(service, other.accountId);
    const bystander = await signIn(service, owner.accountId);
    const listed = await consoleOf(other.accountId);
    expect([listed.sessions.length, listed.invites.length]).toEqual([2, 1]);
    expect(listed.sessions[0]?.expiresAt).toMatch(/\+08:00$/);
    const path = `${accountPath(other.accountId)}/sign-out`;
    expect((await asOperator<Account>(service, "POST", path)).console).toEqual({ sessions: [], invites: [] });
    for (const holder of holders) {
      expect((await overview(holder)).status).toBe(401);
      expect((await holder.ask("POST", "/console/keys", { name: "mine" })).status).toBe(401);
    }
    expect((await press(link, { ...ownForm(service), ...english })).text).toContain("This link has expired.");
    expect((await overview(bystander)).status).toBe(200);
    const audit = await service.admin(
      "GET",
      `/admin/audit?subject=${other.accountId}&action=account.sign_out`,
    );
    expect(audit.text).toContain('"after":{"sessions":2,"invites":1}');
  });

  it("end when the account is disabled, and stay ended after it is enabled again", async () => {
    const other = await account(service, { plan: "flagship" });
    const holder = await signIn(service, other.accountId);
    await asOperator(service, "POST", `${accountPath(other.accountId)}/disable`);
    expect((await overview(holder)).status).toBe(401);
    await asOperator(service, "POST", `${accountPath(other.accountId)}/enable`);
    expect((await overview(holder)).status).toBe(401);
    expect(await consoleOf(other.accountId)).toEqual({ sessions: [], invites: [] });
  });

  it("end when the operator revokes a key, but not when the holder revokes one", async () => {
    const other = await account(service, { plan: "flagship", keys: 2 });
    const [mine, theirs] = other.keys.map(({ keyId }) => keyId);
    const holder = await signIn(service, other.accountId);
    expect((await holder.ask("POST", `/console/keys/${mine}/revoke`, {})).status).toBe(200);
    expect((await overview(holder)).status).toBe(200);
    await asOperator(service, "POST", `/admin/keys/${theirs}/revoke`);
    expect((await holder.ask("POST", "/console/keys", { name: "again" })).status).toBe(401);
    const { keys } = await asOperator<Account>(service, "GET", accountPath(other.accountId));
    expect(keys.filter(({ revokedAt }) => revokedAt === null)).toEqual([]);
  });
});

describe("a used sign-in link that is opened again", () => {
  it("redirects to the overview if the browser sends the session's cookie, and is refused otherwise", async () => {
    const url = await inviteTo(service, owner.accountId);
    const cookie = setCookie(await press(url)).split(";")[0] ?? "";
    const led = await open(url, { cookie });
    expect([led.status, led.headers.location]).toEqual([303, "/console/"]);
    expect((await open(url)).status).toBe(403);
    const fresh = await inviteTo(service, owner.accountId);
    expect((await open(fresh, { cookie })).status).toBe(200);
  });
});

describe("guessing sign-in links", () => {
  it("locks out the IP address after ten wrong links, but no other address", async () => {
    const from = (address: string) => ({ ...ownForm(service), "cf-connecting-ip": address });
    const wrong = (digit: number) => `${service.baseUrl}/console/invite/${String(digit).repeat(32)}`;
    for (let guess = 0; guess < 10; guess++) {
      expect((await press(wrong(guess), from("203.0.113.9"))).status).toBe(403);
    }
    const right = await inviteTo(service, owner.accountId);
    expect((await press(right, from("203.0.113.9"))).status).toBe(429);
    expect((await press(right, from("203.0.113.10"))).status).toBe(303);
  });
});

describe("a console session", () => {
  it("lasts 12 hours", async () => {
    await signIn(service, owner.accountId);
    const db = await service.mf.getD1Database("DB");
    const sql = "SELECT max(expires_at_ms - created_at_ms) AS life FROM console_sessions";
    expect(await db.prepare(sql).first()).toEqual({ life: 12 * 3_600_000 });
  });
});

describe("the console's pages", () => {
  it("load nothing from other origins, run no inline script, and are not cached", async () => {
    const holder = await signIn(service, owner.accountId);
    for (const path of ["/console/", "/console/keys", "/console/data", "/console/try", "/console/shares"]) {
      const page = await holder.ask("GET", path);
      expect(page.status, path).toBe(200);
      expect(page.headers["cache-control"]).toContain("no-store");
      const policy = String(page.headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain("unsafe");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(page.text).not.toMatch(/ style="| on[a-z]+="|<script>(?!\s*<)/);
      for (const [, address] of page.text.matchAll(/(?:src|href)="([^"#]+)"/g))
        expect(address).toMatch(/^\//);
    }
  });

  it("use a stylesheet that browsers may cache permanently", async () => {
    const page = await open(`${service.baseUrl}/console/`);
    expect(page.status).toBe(401);
    const [, style] = /href="(\/-assets\/[\w-]+\.css)"/.exec(page.text) ?? [];
    const asset = await open(service.baseUrl + style);
    expect(asset.headers["content-type"]).toBe("text/css; charset=utf-8");
    expect(asset.headers["cache-control"]).toContain("immutable");
    expect((await open(`${service.baseUrl}/-assets/other.js`)).status).toBe(404);
  });

  it("use the browser's language, or Chinese when the browser sends none", async () => {
    expect((await open(`${service.baseUrl}/console/`, english)).text).toContain('<html lang="en"');
    expect((await open(`${service.baseUrl}/console/`)).text).toContain('<html lang="zh-CN"');
  });
});

describe("the path /console", () => {
  it("redirects to /console/", async () => {
    const answer = await open(`${service.baseUrl}/console`);
    expect([answer.status, answer.headers.location]).toEqual([303, "/console/"]);
  });
});
