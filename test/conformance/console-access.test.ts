/** Tests requests to the console without a session, and with an invalid, an expired or another account's session. */
import { afterAll, describe, expect, it } from "vitest";
import { adminRoutes } from "../../src/admin/routes.ts";
import type { Account, ShareList } from "../../src/admin/wire.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import { type Holder, ownForm, signIn } from "../support/console.ts";
import { shareOf } from "../support/drive.ts";
import { call } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { MAIN, sharedWorld } from "./world.ts";

const world = await sharedWorld();
const owner = await account(world.service, { plan: "flagship", keys: 2 });
const holder = await signIn(world.service, owner.accountId);
const stranger = await signIn(world.service, (await account(world.service, { plan: "flagship" })).accountId);
const shareId = (await shareOf(world.service, owner.key)).shareId;
afterAll(() => world.stop());

const keyId = () => owner.keys[0]?.keyId ?? "";

interface Route {
  method: string;
  path: string;
}

/** Routes that need no session. Every other route, including future ones, must require one. */
const OPEN = ["GET /console", "GET /console/invite/:token", "POST /console/invite/:token"];

/** Returns a router's routes without its middleware. */
const routesOf = (routes: readonly Route[]) => routes.filter(({ path }) => !path.includes("*"));
const isOpen = ({ method, path }: Route) => OPEN.includes(`${method} ${path}`);
const CLOSED = routesOf(consoleRoutes().routes).filter((route) => !isOpen(route));

/** Returns the routes that need a session, with the owner's ids filled in, then four routes to an unknown path. */
const closed = (): Route[] => [
  ...CLOSED.map(({ method, path }) => ({
    method,
    path: path.replace(":keyId", keyId()).replace(":shareId", shareId),
  })),
  ...["GET", "POST", "PUT", "DELETE"].map((method) => ({ method, path: "/console/nothing" })),
];
const GETS = CLOSED.filter(({ method }) => method === "GET").map(({ path }) => path);
const FORM = { name: "x", hours: "24" };
const request = orderHistory({ apikey: "", params: { symbol: "600519", tradedate: MAIN } });

/** Sends `POST /console/api` with these headers. */
const run = (headers: Record<string, string>, body: unknown = request) =>
  call(`${world.service.baseUrl}/console/api`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
/** Returns the headers of a form that the console's own page sends. */
const formOf = ({ cookie, formToken }: Holder, more: Record<string, string> = {}) => ({
  ...{ cookie, origin: world.service.baseUrl, "x-form-token": formToken },
  ...more,
});

async function state(): Promise<string> {
  const { keys } = await asOperator<Account>(world.service, "GET", `/admin/accounts/${owner.accountId}`);
  const path = `/admin/shares?account=${owner.accountId}`;
  const { shares } = await asOperator<ShareList>(world.service, "GET", path);
  return JSON.stringify([
    keys.map(({ revokedAt, expiresAt, keyId: id }) => [id, revokedAt, expiresAt]),
    shares,
  ]);
}

/** Calls every `closed` route with `headers`. Each must return `status`, and no key or share may change. */
async function expectAll(headers: Record<string, string>, status: number): Promise<void> {
  const before = await state();
  const form = { ...ownForm(world.service), "x-form-token": holder.formToken };
  const body = new URLSearchParams({ ...FORM, form: holder.formToken }).toString();
  for (const { method, path } of closed()) {
    const asked = method === "GET" ? { method, headers } : { method, headers: { ...form, ...headers }, body };
    const answer = await call(world.service.baseUrl + path, asked);
    expect([method, path, answer.status]).toEqual([method, path, status]);
    expect(answer.text).not.toContain(owner.accountId);
  }
  expect(await state()).toBe(before);
}

describe("every console route that needs a session", () => {
  it("is covered by these tests, with real ids in its path", () => {
    const all = routesOf(consoleRoutes().routes).map(({ method, path }) => `${method} ${path}`);
    expect(all.length).toBeGreaterThan(14);
    expect(OPEN.filter((route) => !all.includes(route))).toEqual([]);
    expect(closed().filter(({ path }) => path.includes(":"))).toEqual([]);
  });

  it("refuses a request without a session", () => expectAll({}, 401));

  it("refuses a session id that was never issued", () =>
    expectAll({ cookie: `edgetape_console=${"a".repeat(43)}` }, 401));

  it("refuses a session cookie that holds an API key or an admin token", async () => {
    for (const text of [owner.key, world.service.adminToken]) {
      await expectAll({ cookie: `edgetape_console=${text}`, authorization: `Bearer ${text}` }, 401);
    }
  });

  it("refuses a session that has been signed out", async () => {
    const past = await signIn(world.service, owner.accountId);
    const out = await past.ask("POST", "/console/sign-out", {});
    expect([out.status, out.headers["set-cookie"]?.[0]]).toEqual([
      303,
      expect.stringContaining("Expires=Thu, 01 Jan 1970"),
    ]);
    await expectAll({ cookie: past.cookie }, 401);
  });

  it("refuses an expired session", async () => {
    const db = await world.service.mf.getD1Database("DB");
    const late = await signIn(world.service, owner.accountId);
    const now = Math.floor(world.service.nowMs());
    await db
      .prepare(
        "UPDATE console_sessions SET expires_at_ms = ?1 WHERE created_at_ms = (SELECT max(created_at_ms) FROM console_sessions)",
      )
      .bind(now)
      .run();
    await expectAll({ cookie: late.cookie }, 401);
  });
});

describe("the console's overview", () => {
  it("is served when the valid session cookie follows invalid cookies of the same name", async () => {
    const bogus = ["x", "a".repeat(43), ""].map((text) => `edgetape_console=${text}`).join("; ");
    const cookie = `${bogus}; ${(await signIn(world.service, owner.accountId)).cookie}`;
    const answer = await call(`${world.service.baseUrl}/console/`, { method: "GET", headers: { cookie } });
    expect(answer.status).toBe(200);
  });
});

describe("the session of another account", () => {
  it("cannot change the owner's keys or shares through any route that takes an id", async () => {
    const before = await state();
    const taking = CLOSED.filter(({ path }) => path.includes(":"));
    expect(taking.length).toBeGreaterThanOrEqual(3);
    for (const { method, path } of taking) {
      const filled = path.replace(":keyId", keyId()).replace(":shareId", shareId);
      const answer = await stranger.ask(method, filled, FORM);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    expect(await state()).toBe(before);
  });

  it("is never served a page that contains the owner's ids", async () => {
    for (const path of GETS) {
      const { text } = await stranger.ask("GET", path);
      for (const secret of [owner.accountId, keyId(), shareId]) expect(text).not.toContain(secret);
    }
  });

  it("runs requests as the other account, even when the body contains the owner's API key", async () => {
    const body = { ...request, apiname: "account_info", params: {}, apikey: owner.key };
    const { envelope } = await run(formOf(stranger), body);
    expect(envelope.code).toBe(200);
    expect(envelope.data?.account_id).not.toBe(owner.accountId);
    expect(envelope.data?.key_id).toBeNull();
  });
});

describe("the admin API", () => {
  it("refuses a console session on every route", async () => {
    const routes = routesOf(adminRoutes().routes).filter(({ method }) => method !== "ALL");
    expect(routes.length).toBeGreaterThan(40);
    const before = await state();
    const token = holder.cookie.split("=")[1] ?? "";
    for (const { method, path } of routes) {
      const filled = `${world.service.baseUrl}/admin${path}`.replace(":id", owner.accountId);
      for (const headers of [{ cookie: holder.cookie }, { authorization: `Bearer ${token}` }]) {
        const asked = method === "GET" ? { method, headers } : { method, headers, body: {} };
        expect([method, path, (await call(filled, asked)).status]).toEqual([method, path, 401]);
      }
    }
    expect(await state()).toBe(before);
  });
});

describe("a form on the console", () => {
  it.each([
    ["another origin", { origin: "https://evil.example" }],
    ["an opaque origin", { origin: "null" }],
    ["another session's token", { "x-form-token": "0".repeat(64) }],
    ["no token", { "x-form-token": "" }],
  ])("is refused with %s, on the Try it page and on the keys page", async (_, wrong) => {
    expect((await run(formOf(holder, wrong))).status).toBe(403);
    const before = await state();
    const form = "x-form-token" in wrong ? wrong["x-form-token"] : holder.formToken;
    const answer = await call(`${world.service.baseUrl}/console/keys`, {
      method: "POST",
      headers: { cookie: holder.cookie, ...ownForm(world.service), ...wrong },
      body: new URLSearchParams({ name: "x", form: form ?? "" }).toString(),
    });
    expect(answer.status).toBe(403);
    expect(await state()).toBe(before);
  });

  it("is refused if its form token belongs to another session, even of the same account", async () => {
    const second = await signIn(world.service, owner.accountId);
    expect((await run(formOf(holder, { "x-form-token": second.formToken }))).status).toBe(403);
  });
});

describe("a request run from the console", () => {
  it("returns the same bytes as the API, uses the quota, and is listed among the last requests", async () => {
    const other = await account(world.service, { plan: "trial" });
    const trial = await signIn(world.service, other.accountId);
    const ran = await run(formOf(trial));
    const asked = await world.service.post({ ...request, apikey: other.key });
    expect(ran.text).toBe(asked.text);
    expect(String(ran.headers.ratelimit)).toContain('"requests";r=99');
    expect(String(asked.headers.ratelimit)).toContain('"requests";r=98');
    expect((await trial.ask("GET", "/console/")).text).toContain(String(ran.headers["x-request-id"]));
  });

  it("returns a response that no other origin can read", async () => {
    const ran = await run(formOf(holder));
    expect(ran.status).toBe(200);
    expect(ran.headers["access-control-allow-origin"]).toBeUndefined();
    expect(ran.headers["cross-origin-resource-policy"]).toBe("same-origin");
  });

  it("is refused with the API's reason when the plan is missing, a parameter is invalid or the apiname is unknown", async () => {
    const free = await account(world.service, { plan: "free" });
    const session = await signIn(world.service, free.accountId);
    expect((await run(formOf(session))).reason).toBe("plan_missing");
    const wrong = { ...request, params: { symbol: "6005190" } };
    expect((await run(formOf(holder), wrong)).reason).toBe("param_invalid");
    expect((await run(formOf(holder), { ...request, apiname: "level3" })).reason).toBe("apiname_unknown");
  });
});
