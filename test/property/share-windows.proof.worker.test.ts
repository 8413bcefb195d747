/**
 * Compares the coverage of a share at many instants of three years with an independent calculation. The whole service
 * runs inside workerd with its clock set to the instant of each request, to the millisecond.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateKey, hashKey } from "../../src/access/key.ts";
import { createApp } from "../../src/app.ts";
import { createAccount, findAccount, setSubscriptions } from "../../src/catalog/accounts.ts";
import { addKey } from "../../src/catalog/keys.ts";
import type { PlanName } from "../../src/entitlement/principal.ts";
import type { Env } from "../../src/env.ts";
import { printedRandom, type Random } from "../support/random.ts";
import { proofSize } from "../support/tier.ts";

const testEnv = env as unknown as Env;
const app = createApp();
const DAY_MS = 86_400_000;
const FIRST_INSTANT = Date.parse("2027-06-01T00:00:00+08:00");
const LAST_INSTANT = Date.parse("2030-06-01T00:00:00+08:00");
/** The number of random instants in addition to the special ones. */
const RANDOM_INSTANTS = proofSize(120);

type DataType = "auction_tick" | "level2";
const DATA_TYPES: DataType[] = ["auction_tick", "level2"];
/** A window longer than the age of any file, in days. */
const ALL_DAYS = 5_000;
const WINDOW_DAYS = { auction_tick: 365, level2: 30 };

interface FileRow {
  type: DataType;
  /** Days since 1970-01-01. */
  number: number;
  date: string;
  size: number;
}

/** The calculation uses day numbers, while the service uses dates as text. */
const dateOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
const beijingClock = new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Shanghai" });
const todayNumber = (nowMs: number) => Date.parse(`${beijingClock.format(nowMs)}T00:00:00Z`) / DAY_MS;

function someFiles(random: Random): FileRow[] {
  const files: FileRow[] = [];
  for (const type of DATA_TYPES) {
    for (let number = Date.parse("2026-01-01") / DAY_MS; number <= LAST_INSTANT / DAY_MS; number++) {
      // Some weeks have no files, so that windows and years without files occur.
      const isQuiet = Math.floor(number / 40) % 6 === 0;
      if (!isQuiet && random.chance(0.7)) {
        files.push({ type, number, date: dateOf(number), size: random.integer(1, 10 ** 9) });
      }
    }
  }
  return files;
}

async function putFiles(files: FileRow[]): Promise<void> {
  await testEnv.DB.prepare(
    `INSERT INTO day_files (data_type, tradedate, name, revision, object_key, etag, size_bytes, sha256, state,
       uploaded_at_ms, published_at_ms)
     SELECT value ->> 'type', value ->> 'date', (value ->> 'date') || '.file', 1,
       (value ->> 'type') || (value ->> 'date'), 'etag', value ->> 'size', '', 'published', 1, 1
     FROM json_each(?)`,
  )
    .bind(JSON.stringify(files))
    .run();
}

async function keyWith(plan: PlanName): Promise<string> {
  const by = { actor: { kind: "operator", name: "test" } as const, nowMs: 0 };
  const accountId = `windows-${plan}`;
  await createAccount(testEnv.DB, { accountId, contact: "", note: "" }, by);
  const account = await findAccount(testEnv.DB, accountId);
  if (account === null) throw new Error("no account");
  await setSubscriptions(testEnv.DB, account, [{ plan, startMs: 0, endMs: LAST_INSTANT + 400 * DAY_MS }], by);
  const key = generateKey();
  const stored = { sha256: await hashKey(key), firstCharacters: "", expiresAtMs: null };
  await addKey(testEnv.DB, { ...stored, keyId: `key-${plan}`, accountId, name: "" }, by);
  return key;
}

/** Returns the share's summary at `nowMs`, or the reason of the refusal. */
async function asked(nowMs: number, apikey: string, data_type: DataType, year: number): Promise<unknown> {
  const body = JSON.stringify({ apiname: "file_download", apikey, params: { data_type, year } });
  vi.setSystemTime(nowMs);
  const ctx = createExecutionContext();
  const answer = await app.fetch(
    new Request("https://data.example.com/api", { method: "POST", body }),
    testEnv,
    ctx,
  );
  const { data } = (await answer.json()) as { data: { data: Record<string, unknown> } | null };
  await waitOnExecutionContext(ctx);
  if (data === null) return answer.headers.get("X-Reason");
  const { start_date, end_date, file_count, size_bytes } = data.data;
  return { start_date, end_date, file_count, size_bytes };
}

function expected(
  files: FileRow[],
  { today, type, year, days }: { today: number; type: DataType; year: number; days: number },
): unknown {
  const first = today - days + 1;
  if (Number(dateOf(first).slice(0, 4)) > year) return "outside_window";
  const covered = files.filter(
    (file) =>
      file.type === type &&
      file.number >= first &&
      file.number <= today &&
      file.date.startsWith(String(year)),
  );
  if (covered.length === 0) return "nothing_published";
  return {
    start_date: covered.at(0)?.date,
    end_date: covered.at(-1)?.date,
    file_count: covered.length,
    size_bytes: covered.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Returns the first and last millisecond of days around New Year and at the ends of months, and random instants. */
function someInstants(random: Random): number[] {
  const instants: number[] = [];
  for (let number = FIRST_INSTANT / DAY_MS; number < LAST_INSTANT / DAY_MS; number++) {
    const midnight = Math.floor(number) * DAY_MS - 8 * 3_600_000;
    const monthDay = dateOf(Math.floor(number)).slice(4);
    if (["1231", "0101", "0102", "0130", "0131", "0228", "0229", "0301"].includes(monthDay)) {
      instants.push(midnight, midnight + DAY_MS - 1);
    }
  }

  for (let i = 0; i < RANDOM_INSTANTS; i++) instants.push(random.integer(FIRST_INSTANT, LAST_INSTANT));
  return instants;
}

const random = printedRandom("share windows");
const files = someFiles(random);
const keys = { professional: "", weekly: "", flagship: "" };
beforeAll(async () => {
  await putFiles(files);
  for (const plan of ["professional", "weekly", "flagship"] as const) keys[plan] = await keyWith(plan);
  vi.useFakeTimers({ toFake: ["Date"] });
  // Suppresses the log lines of thousands of requests, which would hide the seed.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
});
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the coverage of a share of one year (contract 7.2, 8.2)", () => {
  it("contains the files of that year in the window of a professional or weekly plan", async () => {
    for (const nowMs of someInstants(random)) {
      const today = todayNumber(nowMs);
      const plan = random.pick(["professional", "weekly"] as const);
      for (const type of DATA_TYPES) {
        for (const year of [0, 1].map((back) => Number(dateOf(today).slice(0, 4)) - back)) {
          const days = WINDOW_DAYS[type];
          const said = `${plan} ${type} ${year} at ${new Date(nowMs).toISOString()}`;
          expect(await asked(nowMs, keys[plan], type, year), said).toEqual(
            expected(files, { today, type, year, days }),
          );
        }
      }
    }
  });

  it("contains all files of that year up to today for a flagship plan", async () => {
    for (let i = 0; i < 40; i++) {
      const nowMs = random.integer(FIRST_INSTANT, LAST_INSTANT);
      const today = todayNumber(nowMs);
      const type = random.pick(DATA_TYPES);
      const year = random.integer(2026, Number(dateOf(today).slice(0, 4)));
      const said = `flagship ${type} ${year} at ${new Date(nowMs).toISOString()}`;
      expect(await asked(nowMs, keys.flagship, type, year), said).toEqual(
        expected(files, { today, type, year, days: ALL_DAYS }),
      );
    }
  });
});
