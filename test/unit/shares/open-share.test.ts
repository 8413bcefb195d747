import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env, Settings } from "../../../src/env.ts";
import { openShare as openShareResult, type ShareAccess } from "../../../src/shares/open-share.ts";
import { sharePassword } from "../../../src/shares/secrets.ts";
import { basic } from "../../support/drive.ts";
import { baringLater } from "../../support/result.ts";

const openShare = baringLater(openShareResult);

const KNOWN = "0123456789abcdefghij";
const UNKNOWN = "jihgfedcba9876543210";
const SECRET = "a-secret-of-thirty-two-characters";
const NOW = Date.UTC(2026, 2, 12);

const row = {
  shareId: KNOWN,
  accountId: "a",
  dataType: "level2",
  year: 2026,
  generation: 1,
  secretVersion: 1,
  createdAtMs: NOW - 1_000,
  revokedAtMs: null,
  disabledAtMs: null,
  subscriptions: JSON.stringify([{ plan: "flagship", startMs: 0, endMs: NOW + 1e10 }]),
};

/** The steps of a request: database reads, hashes and calls of a guard. */
let steps: string[];
/** The number of seconds for which the guard refuses passwords, or null if it does not. */
let locked: number | null;

beforeEach(() => {
  steps = [];
  locked = null;
  for (const name of ["createHmac", "createHash"] as const) {
    const real: (...args: never[]) => unknown = crypto[name];
    const counted = (...args: never[]) => {
      steps.push(name);
      return real(...args);
    };
    vi.spyOn(crypto, name).mockImplementation(counted as never);
  }
  syncBuiltinESMExports();
});

afterEach(() => void vi.restoreAllMocks());

/** Returns the `ShareAccess` for a request for `shareId`, at a deployment whose only share is `KNOWN`. */
function access(shareId: string): ShareAccess {
  const statement = (asked: string) => ({ asked, bind: (id: string) => statement(id) });
  const env = {
    DB: {
      prepare: () => statement(""),
      batch: async (statements: { asked: string }[]) => {
        steps.push(`read ${statements.length}`);
        return statements.map(({ asked }) => ({ results: asked === KNOWN ? [row] : [] }));
      },
    },
    GUARD: {
      getByName: (name: string) => ({
        attempt: async () => {
          steps.push(name === KNOWN || name.startsWith("unknown ") ? "guard" : `guard ${name}`);
          return locked;
        },
      }),
    },
  } as unknown as Env;
  const settings = {
    SHARE_SECRET: { current: 1, secrets: new Map([[1, SECRET]]) },
    LOCATION_HINT: "apac",
  } as unknown as Settings;
  const caller = { address: `${Math.random()}`, client: "c" };
  return { env, settings, nowMs: NOW, shareId, caller, alongside: null };
}

const request = (headers: Record<string, string>) => new Request("https://data.example/s/x/", { headers });
const wrongFor = (shareId: string) => request(basic(shareId, "wrong"));

describe("a share that does not exist", () => {
  it("is checked in the same steps as an existing share, so that the duration reveals nothing", async () => {
    expect(await openShare(wrongFor(KNOWN), access(KNOWN))).toEqual({
      reason: "password_wrong",
      given: true,
    });
    const known = steps;
    steps = [];
    expect(await openShare(wrongFor(UNKNOWN), access(UNKNOWN))).toEqual({
      reason: "password_wrong",
      given: true,
    });
    expect(steps).toEqual(known);
    expect(known).toEqual(expect.arrayContaining(["read 1", "createHmac", "createHash", "guard"]));
  });

  it("is checked in the same steps as an existing share even if the request has a cookie", async () => {
    const cookie = { cookie: `edgetape_share=${NOW + 1000}.${"0".repeat(64)}` };
    await openShare(request(cookie), access(KNOWN));
    const known = steps;
    steps = [];
    await openShare(request(cookie), access(UNKNOWN));
    expect(steps).toEqual(known);
  });

  it("cannot be opened with the password that is derived from its id", async () => {
    const password = sharePassword(SECRET, 1, UNKNOWN);
    const opened = await openShare(request(basic(UNKNOWN, password)), access(UNKNOWN));
    expect(opened).toEqual({ reason: "password_wrong", given: true });
  });
});

describe("the guard of a share", () => {
  const right = () => request(basic(KNOWN, sharePassword(SECRET, 1, KNOWN)));

  it("is called only once for right passwords from an address, and again after a wrong password", async () => {
    const here = access(KNOWN);
    for (let n = 0; n < 3; n++) expect(await openShare(right(), here)).toMatchObject({ days: {} });
    expect(steps.filter((step) => step === "guard")).toHaveLength(1);
    await openShare(wrongFor(KNOWN), here);
    locked = 60;
    expect(await openShare(right(), here)).toEqual({
      reason: "password_locked",
      retryAfterSeconds: 60,
    });
  });

  it("is not called without a password", async () => {
    expect(await openShare(request({}), access(KNOWN))).toEqual({ reason: "password_wrong", given: false });
    expect(steps).toEqual([]);
  });
});
