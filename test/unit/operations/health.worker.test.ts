import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Env, type Settings, settingsOf } from "../../../src/env.ts";
import { healthOf } from "../../../src/operations/health.ts";
import { watchStores } from "../../support/watched-stores.ts";

const own = env as unknown as Env;
const ORIGIN = "http://127.0.0.1:8787";

describe("GET /health (anonymous)", () => {
  it("calls the stores at most once every 5 s, and returns the last result in between", async () => {
    let calls = 0;
    let failing = false;
    const watched = watchStores(own, (_, proceed) => {
      calls++;
      if (failing) throw new Error("down");
      return proceed();
    });
    const settings = settingsOf(own);
    const at = (nowMs: number) => healthOf(watched, settings, { origin: ORIGIN, nowMs });
    const start = Date.now() + 1e9;
    expect(await at(start)).toMatchObject({ status: "ok", d1: "ok", r2: "ok", gate: "ok", settings: "ok" });
    const first = calls;
    expect(first).toBeGreaterThanOrEqual(3);
    failing = true;
    for (let n = 0; n < 50; n++) expect((await at(start + n * 99)).status).toBe("ok");
    expect(calls).toBe(first);
    // One of the concurrent requests refreshes the result, and the others do not wait for it.
    const answers = await Promise.all([1, 2, 3].map(() => at(start + 5_000)));
    expect(answers.map(({ status }) => status)).toEqual(["failed", "ok", "ok"]);
    expect(await at(start + 5_001)).toMatchObject({ status: "failed", d1: "failed", r2: "failed" });
    expect(calls).toBe(2 * first);
  });

  it("reports `failed` when production lacks PUBLIC_BASE_URL, except at a loopback address", async () => {
    const settings = {
      ...settingsOf(own),
      PUBLIC_BASE_URL: undefined,
      ENVIRONMENT: "production",
    } as Settings;
    const said = async (origin: string, more: Partial<Settings> = {}) => {
      const { status, settings: answer } = await healthOf(
        own,
        { ...settings, ...more },
        { origin, nowMs: Date.now() + 2e9 },
      );
      return `${status} ${answer}`;
    };
    expect(await said("https://api.example.com")).toBe("failed failed");
    expect(await said("https://api.example.com", { PUBLIC_BASE_URL: "https://api.example.com" })).toBe(
      "ok ok",
    );
    expect(await said("https://api.example.com", { ENVIRONMENT: "demo" })).toBe("ok ok");
    expect(await said(ORIGIN)).toBe("ok ok");
  });
});
