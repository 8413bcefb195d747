import { afterAll, describe, expect, it } from "vitest";
import { day } from "../support/builders.ts";
import { type Answer, call } from "../support/http-client.ts";
import { publish } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { MAIN, MAOTAI, sharedWorld, TODAY } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const good = { symbol: "600519", tradedate: MAIN };

/** Returns one answer of every kind: served, refused, not found, wrong method, too large, unreadable. */
async function everyKind(): Promise<Answer[]> {
  const { service } = world;
  return [
    await world.ask(good),
    await world.ask({ ...good, format: "parquet" }),
    await world.ask({ ...good, tradedate: TODAY }),
    await world.ask(good, { apikey: "unknown" }),
    await world.ask({ ...good, symbol: "x" }),
    await call(`${service.baseUrl}/no/such/path`, { body: {} }),
    await call(`${service.baseUrl}/api`, { method: "GET" }),
    await service.post("x".repeat(70_000)),
    await service.post("{"),
  ];
}

describe("headers of every answer (contract 1.10, 1.11)", () => {
  it("include a request id that is different for each answer", async () => {
    const ids = (await everyKind()).map((answer) => String(answer.headers["x-request-id"]));
    expect(ids.every((id) => /^[\w-]{8,}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("forbid caching on /api", async () => {
    const answers = (await everyKind()).filter((answer) => answer.reason !== "not_found");
    for (const answer of answers) expect(answer.headers["cache-control"]).toBe("private, no-store");
  });

  it("include X-Reason if and only if the answer is a refusal", async () => {
    for (const answer of await everyKind()) {
      const served = answer.headers["content-type"]?.includes("parquet") || answer.envelope.code === 200;
      expect(answer.reason === null).toBe(served);
    }
  });
});

describe("CORS (contract 1.11)", () => {
  it("answers OPTIONS with 204 and allows POST with Content-Type from any origin", async () => {
    for (const path of ["/api", "/api/"]) {
      const answer = await call(`${world.service.baseUrl}${path}`, {
        method: "OPTIONS",
        headers: {
          origin: "https://quant.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
        },
      });
      expect(answer.status).toBe(204);
      expect(answer.bytes.length).toBe(0);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(answer.headers["access-control-allow-methods"]).toContain("POST");
      expect(String(answer.headers["access-control-allow-headers"]).toLowerCase()).toMatch(/content-type|\*/);
      expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    }
  });

  it("lets any origin read every answer, including errors, and the service's own headers", async () => {
    const ours = ["x-reason", "x-request-id", "ratelimit", "ratelimit-policy", "retry-after", "x-window"];
    ours.push("x-revision", "x-build", "x-row-count", "content-disposition");
    for (const answer of await everyKind()) {
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      const exposed = String(answer.headers["access-control-expose-headers"])
        .toLowerCase()
        .split(/\s*,\s*/);
      expect(exposed).toEqual(expect.arrayContaining(ours));
    }
  });
});

describe("the headers of order history (contract 1.10)", () => {
  it("include X-Window with the applied window, written as two nine-digit times", async () => {
    const windowed = await world.ask({ ...good, start_time: "09:30", end_time: "10:00:00" });
    expect(windowed.headers["x-window"]).toBe("093000000-100000000");
    const whole = await world.ask(good);
    expect(whole.headers["x-window"]).toMatch(/^\d{9}-\d{9}$/);
  });

  it("include X-Revision with the day's revision, for JSON and Parquet", async () => {
    expect((await world.ask(good)).headers["x-revision"]).toBe("1");
    expect((await world.ask({ ...good, format: "parquet" })).headers["x-revision"]).toBe("1");
  });
});

describe("X-Build (contract 1.10)", () => {
  it("is the pack's build id on pages of any size, Parquet answers and estimates", async () => {
    const { service, keys } = world;
    const { buildId } = (await packOf(world.main)).index;
    for (const params of [good, { ...good, format: "parquet" }, { ...good, page_size: 3 }]) {
      expect((await world.ask(params)).headers["x-build"]).toBe(buildId);
    }
    const estimate = { apiname: "order_history_estimate", apikey: keys.flagship, params: good };
    expect((await service.post(estimate)).headers["x-build"]).toBe(buildId);
  });

  it("is absent from answers that read no pack", async () => {
    for (const answer of (await everyKind()).slice(2)) expect(answer.headers["x-build"]).toBeUndefined();
  });

  it("is the same for the same rows on every deployment and revision, and differs for other rows", async () => {
    const other = await sharedWorld("drive");
    expect((await other.ask(good)).headers["x-build"]).toBe((await world.ask(good)).headers["x-build"]);
    const builds = [];
    for (const orders of [MAOTAI.orders, MAOTAI.orders.slice(1), MAOTAI.orders]) {
      const tradedate = "20260206";
      await publish(world.service, day({ tradedate, securities: [{ ...MAOTAI, orders }] }));
      builds.push((await world.ask({ symbol: "600519", tradedate })).headers["x-build"]);
    }
    const [first, changed, last] = builds;
    expect(changed).not.toBe(first);
    expect(last).toBe(first);
  });
});

describe("GET /health", () => {
  it("reports the version and the state of D1, R2 and the gate", async () => {
    const answer = await call(`${world.service.baseUrl}/health`, { method: "GET" });
    expect(answer.status).toBe(200);
    const text = answer.text.toLowerCase();
    for (const part of ["version", "d1", "r2", "gate"]) expect(text).toContain(part);
  });
});
