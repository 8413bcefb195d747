/**
 * Tests access to a share with its password or cookie, refusals without them, and the limit on wrong passwords (contract
 * 8.6): 10 in 15 minutes per share and IP address.
 */
import { afterAll, describe, expect, it } from "vitest";
import { basic, onDrive, shareOf, type TestShare } from "../support/drive.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { HERE, sharedDriveWorld, THERE } from "./drive-world.ts";
import { DAY_MS } from "./world.ts";

const world = await sharedDriveWorld();
afterAll(() => world.stop());

const UNKNOWN = "0123456789abcdefghij";

/** Returns an answer's status, headers and body without its request id and date. */
function appearance({ status, headers, text }: Answer): object {
  const { "x-request-id": id, date: _, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(String(id), "ID") };
}

const at = (shareId: string) => `${world.service.baseUrl}/s/${shareId}/`;
const get = (url: string, headers: Record<string, string> = {}) => call(url, { method: "GET", headers });

describe("a request without the right password", () => {
  it("gets the same 401 for an existing and for an unknown share, on every path", async () => {
    const { share } = world;
    const tries: [string, Record<string, string>][] = [
      ["", {}],
      ["20260311/", {}],
      ["20260311/20260311_trades.zip", { range: "bytes=0-1" }],
      ["no/such/path", {}],
      ["", { accept: "text/html" }],
      ["", { cookie: "edgetape_share=1999999999999.00" }],
    ];
    for (const [path, headers] of tries) {
      const known = appearance(await get(share.url + path, headers));
      const unknown = appearance(await get(at(UNKNOWN) + path, headers));
      expect(JSON.stringify(known).replaceAll(share.shareId, UNKNOWN)).toBe(JSON.stringify(unknown));
      expect(known).toMatchObject({ status: 401 });
    }
  });

  it("gets the same 401 for a wrong password of a share and for any password of an unknown share", async () => {
    const { share } = world;
    const wrong = await get(share.url, basic(share.shareId, "wrong"));
    const unknown = await get(at(UNKNOWN), basic(UNKNOWN, share.password));
    const stranger = await get(share.url, basic("admin", share.password));
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain("the user name is the share's id");
    expect(appearance(unknown)).toEqual(appearance(wrong));
    expect(appearance(stranger)).toEqual(appearance(wrong));
  });

  it("gets a Basic challenge, or the sign-in form if it comes from a browser", async () => {
    const { url } = world.share;
    const tool = await get(url);
    expect(tool.headers["www-authenticate"]).toMatch(/^Basic realm="[^"]+", charset="UTF-8"$/);
    expect(tool.headers["content-type"]).toContain("text/plain");
    const browser = await get(url, { accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
    expect(browser.headers["www-authenticate"]).not.toMatch(/basic/i);
    expect(browser.text).toContain('type="password"');
  });

  it("is refused with 401 for GET, HEAD, OPTIONS and PROPFIND", async () => {
    for (const method of ["GET", "HEAD", "OPTIONS", "PROPFIND"]) {
      const answer = await call(world.share.url, { method, headers: { depth: "0" } });
      expect(answer.status).toBe(401);
    }
  });
});

describe("a script from another origin", () => {
  it("may send a preflight without the password, and the answer reveals nothing about the share", async () => {
    const asks = { origin: "https://quant.example", "access-control-request-method": "GET" };
    const headers = { ...asks, "access-control-request-headers": "authorization, range" };
    const answers = [world.share.url, world.share.url.replace(/[^/]+\/$/, "nosuchshare/")].map((url) =>
      call(url, { method: "OPTIONS", headers }),
    );
    for (const answer of await Promise.all(answers)) {
      expect([answer.status, answer.text]).toEqual([204, ""]);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(answer.headers["access-control-allow-headers"]).toBe("*, Authorization");
      expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    }
  });

  it("can read a file's range and version headers, but only with the password", async () => {
    const headers = { origin: "https://quant.example", range: "bytes=0-3" };
    const answer = await onDrive(world.share, "20260311/20260311_trades.zip", { headers });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([206, "*"]);
    const exposed = answer.headers["access-control-expose-headers"]?.split(", ") ?? [];
    expect(exposed).toEqual(expect.arrayContaining(["Content-Range", "ETag", "Repr-Digest", "X-Reason"]));
    const without = await call(world.share.url, { method: "GET", headers });
    expect([without.status, without.headers["access-control-allow-origin"]]).toEqual([401, "*"]);
  });
});

describe("the right password of a share", () => {
  it("opens the share and occurs neither in the share's pages nor in its URL", async () => {
    const root = await onDrive(world.share, "");
    expect(root.status).toBe(200);
    expect(root.text).not.toContain(world.share.password);
    expect(world.share.url).not.toContain(world.share.password);
  });

  it("opens no other share", async () => {
    const { service, keys, share, owner } = world;
    const shares = [
      share,
      await shareOf(service, owner.key, "level2", 2025),
      await shareOf(service, keys.flagship),
      await shareOf(service, keys.professional),
    ];
    const file = "20260311/20260311_trades.zip";
    for (const mine of shares) {
      for (const other of shares) {
        const crossed = { ...other, password: mine.password };
        const answer = await onDrive(crossed, file);
        const own = mine === other;
        if (!own) expect(answer.status).toBe(401);
        else expect(answer.status).toBe(mine.start_date.startsWith("2026") ? 200 : 404);
      }
    }
  });
});

describe("a share that is no longer valid", () => {
  const made = async (plan: "flagship" | "professional" = "flagship") => {
    const { service } = world;
    const owner = await account(service, { plan });
    return { owner, share: await shareOf(service, owner.key) };
  };
  const expectOver = async (share: TestShare) => {
    const right = await onDrive(share, "");
    expect(right.status).toBe(403);
    expect(right.reason).toBe("share_over");
    const wrong = await onDrive({ ...share, password: "wrong" }, "");
    expect(wrong.status).toBe(401);
  };

  it("returns 403 for the right password and 401 for a wrong one after its 7 days", async () => {
    const { share } = await made();
    const db = await world.service.mf.getD1Database("DB");
    const days = (count: number) =>
      db
        .prepare("UPDATE shares SET created_at_ms = ? WHERE share_id = ?")
        .bind(Math.floor(world.service.nowMs() - count), share.shareId)
        .run();
    await days(7 * DAY_MS - 60_000);
    expect((await onDrive(share, "")).status).toBe(200);
    await days(7 * DAY_MS);
    await expectOver(share);
  });

  it("returns 403 for the right password and 401 for a wrong one after the owner's plan has ended", async () => {
    const { share, owner } = await made("professional");
    const now = Math.floor(world.service.nowMs());
    await asOperator(world.service, "PUT", `/admin/accounts/${owner.accountId}/subscriptions`, {
      subscriptions: [{ plan: "professional", start: now - 10 * DAY_MS, end: now - 1 }],
    });
    await expectOver(share);
  });

  it("returns 403 for the right password and for its cookie, and 401 for a wrong password, when it is revoked", async () => {
    const { share } = await made();
    const cookie = await enter(share);
    expect((await get(share.url, { cookie })).status).toBe(200);
    await asOperator(world.service, "POST", `/admin/shares/${share.shareId}/revoke`);
    await expectOver(share);
    expect((await get(share.url, { cookie })).status).toBe(403);
  });
});

/** Submits the sign-in form and returns the cookie that a browser sends with its next request. */
async function enter(share: TestShare, headers: Record<string, string> = {}): Promise<string> {
  const answer = await postForm(share, headers);
  expect(answer.status).toBe(303);
  return String(answer.headers["set-cookie"]).split(";")[0] ?? "";
}

function postForm({ url, shareId, password }: TestShare, headers: Record<string, string> = {}) {
  const body = new URLSearchParams({ username: shareId, password }).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return call(url, { method: "POST", body, headers: { ...type, accept: "text/html", ...headers } });
}

describe("the sign-in form of a share", () => {
  it("sets a cookie for this share and redirects to the share's page", async () => {
    const { share } = world;
    const answer = await postForm(share);
    expect(answer.headers.location).toBe(`/s/${share.shareId}/`);
    expect(String(answer.headers["set-cookie"])).toMatch(
      new RegExp(`; Path=/s/${share.shareId}/; Max-Age=\\d+; HttpOnly; SameSite=Strict$`),
    );
    expect(String(answer.headers["set-cookie"])).not.toContain(share.password);
  });

  it("sets a cookie that opens this share's files and no other share", async () => {
    const cookie = await enter(world.share);
    const other = await shareOf(world.service, world.keys.flagship);
    const file = "20260311/20260311_trades.zip";
    expect((await get(world.share.url + file, { cookie })).status).toBe(200);
    expect((await get(other.url + file, { cookie })).status).toBe(401);
  });

  it("is refused with 403 when another site sends it, even with the right password", async () => {
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const answer = await postForm(world.share, headers as Record<string, string>);
      expect(answer.status).toBe(403);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });

  it("answers a wrong password and an unknown share in the same way, with 401 and the form again", async () => {
    const wrong = await postForm({ ...world.share, password: "wrong" }, HERE);
    const unknown = await postForm({ ...world.share, url: at(UNKNOWN) }, HERE);
    expect(wrong.status).toBe(401);
    expect(JSON.stringify(appearance(wrong)).replaceAll(world.share.shareId, UNKNOWN)).toBe(
      JSON.stringify(appearance(unknown)),
    );
    expect(wrong.text).toContain('type="password"');
  });
});

/** Requests the share with this password, from the IP address in the header `from`. */
function knock({ url, shareId }: TestShare, password: string, from: Record<string, string>) {
  return get(url, { ...basic(shareId, password), ...from });
}

/** Sends `times` wrong passwords one after another and returns the statuses. */
async function wrong(share: TestShare, times: number, from: Record<string, string>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) statuses.push((await knock(share, `wrong ${n}`, from)).status);
  return statuses;
}

describe("the lockout after ten wrong passwords", () => {
  it("refuses the IP address with Retry-After, even for the right password, but no other address", async () => {
    const share = await shareOf(world.service, world.keys.flagship);
    expect(await wrong(share, 12, HERE)).toEqual([...Array(10).fill(401), 429, 429]);
    const right = await knock(share, share.password, HERE);
    expect(right.status).toBe(429);
    expect(right.reason).toBe("password_locked");
    const seconds = Number(right.headers["retry-after"]);
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    expect((await knock(share, share.password, THERE)).status).toBe(200);
  });

  it("applies to one share only", async () => {
    const share = await shareOf(world.service, world.keys.professional);
    expect((await knock(share, share.password, HERE)).status).toBe(200);
  });

  it("begins after the tenth of 15 concurrent wrong passwords", async () => {
    const from = { "cf-connecting-ip": "192.0.2.1" };
    const knocks = Array.from({ length: 15 }, (_, n) => knock(world.share, `wrong ${n}`, from));
    const statuses = (await Promise.all(knocks)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  it("applies to the whole /64 of an IPv6 address", async () => {
    const from = (n: number) => ({ "cf-connecting-ip": `2001:db8:7:7::${n.toString(16)}` });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await knock(world.share, "wrong", from(n))).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const neighbour = { "cf-connecting-ip": "2001:db8:7:8::1" };
    expect((await knock(world.share, world.share.password, neighbour)).status).toBe(200);
  });

  it("applies in the same way to a share that does not exist", async () => {
    const unknown = { ...world.share, shareId: UNKNOWN, url: at(UNKNOWN) };
    expect(await wrong(unknown, 11, THERE)).toEqual([...Array(10).fill(401), 429]);
  });

  it("does not apply to a request with the cookie of an earlier sign-in", async () => {
    const from = { "cf-connecting-ip": "192.0.2.77" };
    const cookie = await enter(world.share, from);
    expect((await wrong(world.share, 11, from)).at(-1)).toBe(429);
    expect((await get(world.share.url, { cookie, ...from })).status).toBe(200);
  });

  it("does not count requests without a password", async () => {
    const from = { "cf-connecting-ip": "192.0.2.3" };
    for (let n = 0; n < 12; n++) {
      expect((await get(world.share.url, from)).status).toBe(401);
    }
    expect((await knock(world.share, world.share.password, from)).status).toBe(200);
  });
});
