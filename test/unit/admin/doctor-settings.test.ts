import { describe, expect, it } from "vitest";
import { judgeSettings } from "../../../src/admin/doctor-settings.ts";
import { isLoopback, type Settings } from "../../../src/env.ts";

const NOW = Date.parse("2026-03-12T10:00:00+08:00");
const good = {
  CURSOR_SECRET: "Qm9zY2hlc3Rlcj1kZWZhdWx0LW5vdC1ndWVzc2VkLTE",
  ADMIN_TOKEN: "aFh3NnRnZDc2NWRqc2tsMjM0NTY3ODlvcHF3ZXJ0eXU",
  SHARE_SECRET: { current: 2, secrets: new Map([[2, "c2hhcmUtc2VjcmV0LW9mLXRoZS1zZWNvbmQtdmVyc2lvbg"]]) },
  BACKUP_SECRET: { current: 1, secrets: new Map([[1, "YmFja3VwLXNlY3JldC1vZi10aGUtZmlyc3QtdmVyc2lvbg"]]) },
  PUBLIC_BASE_URL: "https://data.example.com",
  WEBHOOK_URL: "https://oapi.dingtalk.com/robot/send?access_token=1",
  RATE_LIMIT: "on",
  UNKNOWN_PARAMETERS: "refuse",
  CLOCK_OFFSET_MS: 0,
} as unknown as Settings;

const judged = (
  said: Partial<Record<keyof Settings, unknown>>,
  shareVersions: number[] = [],
  isLocal = false,
) => judgeSettings({ ...good, ...said } as Settings, { nowMs: NOW, shareVersions, isLocal });
const found = (said: Partial<Record<keyof Settings, unknown>>, shareVersions: number[] = []) =>
  judged(said, shareVersions).map(({ level, subject }) => `${level} ${subject}`);

describe("the doctor's check of settings", () => {
  it("has no finding for correct settings", () => {
    expect(found({}, [2])).toEqual([]);
  });

  it("requires secrets that are long, different and unguessable, and never shows them", () => {
    expect(found({ ADMIN_TOKEN: good.CURSOR_SECRET })).toEqual(["failed ADMIN_TOKEN"]);
    expect(found({ CURSOR_SECRET: "changeme".repeat(4) })).toEqual(["failed CURSOR_SECRET"]);
    expect(found({ ADMIN_TOKEN: good.ADMIN_TOKEN.slice(0, 28) })).toEqual(["warning ADMIN_TOKEN"]);
    const same = { current: 1, secrets: new Map([[1, good.ADMIN_TOKEN]]) };
    expect(found({ SHARE_SECRET: same })).toEqual(["failed SHARE_SECRET version 1"]);
    expect(found({ BACKUP_SECRET: same })).toEqual(["failed BACKUP_SECRET version 1"]);
    expect(found({ BACKUP_SECRET: undefined })).toEqual(["warning BACKUP_SECRET"]);
    const said = JSON.stringify(judged({ ADMIN_TOKEN: good.CURSOR_SECRET, WEBHOOK_URL: undefined }));
    expect(said).not.toContain(good.CURSOR_SECRET);
    expect(said).toContain("npx wrangler secret put ADMIN_TOKEN");
  });

  it("requires the versions of the share secret that are still in use", () => {
    expect(found({}, [1, 2])).toEqual(["failed SHARE_SECRET"]);
  });

  it("reports a rotation of the cursor secret that was not completed", () => {
    const previous = { CURSOR_SECRET_PREVIOUS: "another" };
    expect(found(previous)).toEqual(["warning CURSOR_SECRET_PREVIOUS"]);
    const at = (text: string) => ({ ...previous, CURSOR_SECRET_ROTATED_AT: text });
    expect(found(at("2026-03-11T10:00:00+08:00"))).toEqual([]);
    expect(found(at("2026-03-11T09:59:59+08:00"))).toEqual(["warning CURSOR_SECRET_PREVIOUS"]);
  });

  it("reports settings that are meant for tests", () => {
    expect(found({ CLOCK_OFFSET_MS: -1 })).toEqual(["failed CLOCK_OFFSET_MS"]);
    expect(found({ RATE_LIMIT: "off", UNKNOWN_PARAMETERS: "warn" })).toEqual([
      "warning RATE_LIMIT",
      "warning UNKNOWN_PARAMETERS",
    ]);
    expect(found({ PUBLIC_BASE_URL: undefined, WEBHOOK_URL: undefined })).toEqual([
      "failed PUBLIC_BASE_URL",
      "warning WEBHOOK_URL",
    ]);
    expect(found({ PUBLIC_BASE_URL: "http://data.example.com" })).toEqual(["warning PUBLIC_BASE_URL"]);
  });

  it("requires no public URL and no webhook when the deployment is reachable only from this machine", () => {
    expect(judged({ PUBLIC_BASE_URL: undefined, WEBHOOK_URL: undefined }, [], true)).toEqual([]);
    expect(judged({ PUBLIC_BASE_URL: "http://127.0.0.1:8787" }, [], true)).toEqual([]);
    expect(judged({ RATE_LIMIT: "off" }, [], true)).toHaveLength(1);
    expect(["localhost", "edgetape.localhost", "127.0.0.1", "[::1]"].map(isLoopback)).not.toContain(false);
    expect(["127.0.0.1.example.com", "api.example.com", "localhost.example.com"].some(isLoopback)).toBe(
      false,
    );
  });
});
