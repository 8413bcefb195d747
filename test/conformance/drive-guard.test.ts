/** Tests the limit on wrong passwords (contract 8.6): 10 in 15 minutes per share and IP address. */
import { afterAll, describe, expect, it } from "vitest";
import { basic, shareOf, type TestShare } from "../support/drive.ts";
import { call } from "../support/http-client.ts";
import { HERE, sharedDriveWorld, THERE } from "./drive-world.ts";

const world = await sharedDriveWorld();
afterAll(() => world.stop());

/** Requests the share with this password, from the IP address in the header `from`. */
function knock({ url, shareId }: TestShare, password: string, from: Record<string, string>) {
  return call(url, { method: "GET", headers: { ...basic(shareId, password), ...from } });
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
    const shareId = "0123456789abcdefghij";
    const unknown = { ...world.share, shareId, url: `${world.service.baseUrl}/s/${shareId}/` };
    expect(await wrong(unknown, 11, THERE)).toEqual([...Array(10).fill(401), 429]);
  });

  it("does not apply to a request with the cookie of an earlier sign-in", async () => {
    const from = { "cf-connecting-ip": "192.0.2.77" };
    const { url, password } = world.share;
    const body = new URLSearchParams({ password }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const entered = await call(url, { method: "POST", body, headers: { ...type, ...from } });
    const cookie = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
    expect((await wrong(world.share, 11, from)).at(-1)).toBe(429);
    expect((await call(url, { method: "GET", headers: { cookie, ...from } })).status).toBe(200);
  });

  it("does not count requests without a password", async () => {
    const from = { "cf-connecting-ip": "192.0.2.3" };
    for (let n = 0; n < 12; n++) {
      expect((await call(world.share.url, { method: "GET", headers: from })).status).toBe(401);
    }
    expect((await knock(world.share, world.share.password, from)).status).toBe(200);
  });
});
