/** Runs scripted histories of paging with both clients: every case of continuing, restarting and giving up. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clock } from "../../../src/client/typescript/waiting.ts";
import { DATASETS } from "../../../src/datasets/registry.ts";
import {
  type PagingFailure,
  type PagingResult,
  type PagingTask,
  pageInTypeScript,
  startPythonPager,
} from "../../support/client-paging.ts";
import { isPythonMissing } from "../../support/python.ts";
import {
  type Asked,
  DAY,
  order,
  type Row,
  rowAs,
  type Script,
  type ScriptedDay,
  type ScriptedDeployments,
  SYMBOL,
  startScriptedDeployments,
  steps,
} from "../../support/scripted-deployments.ts";
import { isLong } from "../../support/tier.ts";

/** A history with the expected result of both clients. */
interface History {
  name: string;
  script: () => Script;
  task?: Partial<PagingTask>;
  rows?: Row[];
  /** The error class of the last attempt, if it must fail. */
  error?: string;
  restarts?: number;
  check?: (found: { result: PagingResult; failures: PagingFailure[]; asked: Asked[][] }) => void;
}

const other = (price: number, rows = steps(300)): Row[] => [order("093000000", 0, price), ...rows.slice(1)];
const pair = (a: Row[], b: Row[], change: Partial<ScriptedDay> = {}): ScriptedDay[] => [
  { rows: a },
  { rows: b, revision: 4, ...change },
];
/**
 * Returns a function that chooses the first deployment for the first `count` requests, and the second one after that.
 */
const firstOnly = (count: number) => (place: number) => (place < count ? 0 : 1);
const rebuild = (rows: Row[], ...days: (ScriptedDay | undefined)[]) => {
  for (const day of days)
    if (day !== undefined) Object.assign(day, { rows, revision: (day.revision ?? 1) + 1 });
};
/** Returns a `before` that runs `change` before the request with index `at`. */
const when = (at: number, change: (days: ScriptedDay[]) => void) => (place: number, days: ScriptedDay[]) => {
  if (place === at) change(days);
  return undefined;
};
/** Returns a script in which the day is rebuilt with `rows` before the request with index `at`. */
const rebuiltAt =
  (at: number, rows: Row[], before = steps(30)) =>
  (): Script => ({ days: [{ rows: before }], before: when(at, ([day]) => rebuild(rows, day)) });
const grown = [...steps(25), order("100000000", 7)];
const wide = steps(300, 300);

const HISTORIES: History[] = [
  {
    name: "continues at another deployment with an undated cursor and 64 rows of overlap",
    script: () => ({ days: pair(steps(300), steps(300)), choose: firstOnly(1) }),
    rows: steps(300),
    check: ({ asked }) => {
      // Each millisecond has three rows, so row 36 is the first row of the thirteenth millisecond.
      expect(asked[1]?.[0]?.params).toMatchObject({
        cursor: "v2.093000012-0",
        page_size: 164,
        tradedate: DAY,
      });
    },
  },
  {
    name: "continues with a time window at a deployment that does not support undated cursors",
    script: () => ({
      days: pair(steps(300, 90), steps(300, 90), { knows: ["build"] }),
      choose: firstOnly(1),
    }),
    task: { end: "100000000" },
    rows: steps(300, 90),
    check: ({ asked }) => {
      const [undated, window] = asked[1] ?? [];
      expect(undated?.params.cursor).toBe("v2.093000000-36");
      expect(window?.params).toMatchObject({ start_time: "093000000", end_time: "100000000" });
      expect(window?.params).not.toHaveProperty("cursor");
    },
  },
  {
    name: "continues when the deployment no longer accepts the cursor",
    script: () => ({
      days: [{ rows: steps(100) }],
      before: when(3, ([day]) => Object.assign(day ?? {}, { secret: "a new one" })),
    }),
    task: { pageSize: 10 },
    rows: steps(100),
  },
  ...(["undated", "window"] as const).map((by) => ({
    name: `restarts when another deployment has fewer rows than were read (continuation: ${by})`,
    script: () => ({
      days: pair(steps(300), steps(90), { knows: by === "undated" ? ["undated", "build"] : ["build"] }),
      choose: firstOnly(2),
    }),
    rows: steps(90),
    restarts: 1,
  })),
  {
    name: "restarts when another deployment differs only in a row that is not compared",
    script: () => ({ days: pair(steps(300), other(99)), choose: firstOnly(2) }),
    rows: other(99),
    restarts: 1,
  },
  {
    name: "detects that a deployment was rebuilt while another one answered",
    script: () => ({
      days: pair(steps(300), steps(300)),
      choose: (place) => (place === 1 ? 1 : 0),
      before: when(2, ([day]) => rebuild(other(99), day)),
    }),
    rows: other(99),
  },
  {
    name: "detects that both deployments were rebuilt between two pages",
    script: () => ({
      days: pair(steps(300), steps(300)),
      choose: firstOnly(2),
      before: when(1, (days) => rebuild(other(99), ...days)),
    }),
    rows: other(99),
  },
  {
    name: "compares with the new content after a restart",
    script: () => ({
      days: pair(steps(300), steps(300)),
      choose: firstOnly(4),
      before: when(2, (days) => rebuild(steps(250), ...days)),
    }),
    rows: steps(250),
    restarts: 1,
  },
  {
    name: "skips more rows of one millisecond than a page contains",
    script: () => ({
      days: [
        { rows: wide, mostRows: 50 },
        { rows: wide, revision: 4, knows: ["build"], mostRows: 50 },
      ],
      choose: firstOnly(4),
    }),
    task: { pageSize: 50 },
    rows: wide,
  },
  {
    name: "accepts the same cursor from two base URLs of one deployment",
    script: () => ({
      days: ["a", "a"].map((secret) => ({ rows: wide, knows: ["build"] as const, mostRows: 50, secret })),
      choose: (place) => Number(place >= 3 && place < 8),
    }),
    task: { pageSize: 50 },
    rows: wide,
    check: ({ asked }) => expect(asked[1]?.length).toBeGreaterThan(3),
  },
  {
    name: "fails when every way to continue is refused",
    script: () => ({
      days: [{ rows: wide, knows: [], mostRows: 50 }],
      before: (place, [day]) => {
        if (day !== undefined) day.secret = `a new one for ${place}`;
        return undefined;
      },
    }),
    task: { pageSize: 50 },
    error: "BadRequest",
  },
  {
    name: "also requests the time column but does not return it",
    script: () => ({ days: [{ rows: steps(25) }] }),
    task: { fields: ["price", "order_id"], pageSize: 10 },
    rows: steps(25).map(() => [12.5, 0]),
    check: ({ result, asked }) => {
      expect(result.fields).toEqual(["price", "order_id"]);
      expect(asked[0]?.[0]?.fields).toEqual(["price", "order_id", "time"]);
    },
  },
  {
    name: "sends only requests for pages",
    script: () => ({ days: pair(steps(25), steps(25)), choose: (place) => place % 2 }),
    task: { pageSize: 10 },
    rows: steps(25),
    check: ({ asked }) => {
      expect(asked.flat().map(({ apiname }) => apiname)).toEqual(Array(3).fill("level2_order_history"));
    },
  },
  {
    name: "continues at another deployment that has the same build but a different revision",
    script: () => ({ days: pair(steps(7), steps(7), { revision: 9 }), choose: firstOnly(2) }),
    task: { pageSize: 2 },
    rows: steps(7),
    restarts: 0,
  },
  {
    name: "never mixes two builds that differ only in a row read long before",
    script: () => ({ days: pair(steps(150), other(99, steps(150))), choose: firstOnly(2) }),
    task: { pageSize: 50 },
    rows: other(99, steps(150)),
    restarts: 1,
  },
  {
    name: "refuses to mix two builds when rows were already returned",
    script: () => ({ days: pair(steps(7), other(99, steps(7))), choose: firstOnly(2) }),
    task: { pageSize: 2, how: "iterate" },
    error: "DataRebuilt",
    check: ({ failures }) => expect(failures[0]?.handed).toEqual(steps(4)),
  },
  ...([0, 1] as const).map((which) => ({
    name: `reads again from the start if only the ${which === 0 ? "second" : "first"} deployment sends a build id`,
    script: () => ({
      days: pair(steps(300), steps(300), { revision: 1 }).map((day, place) =>
        place === which ? { ...day, knows: ["undated"] as const } : day,
      ),
      choose: firstOnly(2),
    }),
    rows: steps(300),
    restarts: 1,
  })),
  {
    name: "detects a rebuild by its revision when no build id is sent",
    script: () => ({
      days: [{ rows: steps(30), knows: ["undated"] }],
      before: when(1, ([day]) => Object.assign(day ?? {}, { secret: "a new one", revision: 2 })),
    }),
    task: { pageSize: 10 },
    rows: steps(30),
    restarts: 1,
  },
  {
    name: "restarts once when the day is rebuilt, and reports the rebuild",
    script: rebuiltAt(1, steps(40)),
    task: { pageSize: 10 },
    rows: steps(40),
    restarts: 1,
  },
  {
    name: "fails when the day changes a second time",
    script: () => ({
      days: [{ rows: steps(30) }],
      before: (place, [day]) => {
        if (place === 1) rebuild(steps(40), day);
        if (place === 3) rebuild(steps(40), day);
        return undefined;
      },
    }),
    task: { pageSize: 10 },
    error: "DataRebuilt",
    restarts: 1,
    check: ({ failures }) => {
      expect(failures[0]).toMatchObject({ code: 422, reason: "data_rebuilt", requestId: "rid" });
    },
  },
  {
    name: "discards the previous rows even when the first request of the restart is refused",
    script: () => ({
      days: [{ rows: steps(30) }],
      before: (place, [day]) => {
        if (place === 1) rebuild(grown, day);
        // Request 1 has an outdated cursor. Request 2, which starts again at the first row, is refused.
        return place === 2 ? { code: 429, reason: "quota_used" } : undefined;
      },
    }),
    task: { pageSize: 10, attempts: 2 },
    rows: grown,
    check: ({ failures }) => expect(failures.map(({ error }) => error)).toEqual(["QuotaUsed"]),
  },
  {
    name: "continues after a used-up quota without receiving a page twice",
    script: () => ({
      days: [{ rows: steps(30) }],
      before: (place) =>
        place === 1
          ? { code: 429, reason: "quota_used", headers: { ratelimit: '"requests";r=0;t=3600' } }
          : undefined,
    }),
    task: { pageSize: 10, attempts: 2 },
    rows: steps(30),
    restarts: 0,
    check: ({ failures, asked }) => {
      expect(failures).toMatchObject([{ error: "QuotaUsed", code: 429, handed: [] }]);
      expect(Math.abs((failures[0]?.resetsInMs ?? 0) - 3_600_000)).toBeLessThan(5_000);
      expect(failures[0]?.resetsAt ?? "+08:00").toMatch(/\+08:00$/);
      expect(asked[0]).toHaveLength(4);
    },
  },
  {
    name: "continues after a rebuild that did not change the rows already returned",
    script: rebuiltAt(2, grown),
    task: { pageSize: 10, how: "iterate" },
    rows: grown,
    restarts: 1,
  },
  {
    name: "refuses to continue when the rows already returned have changed",
    script: rebuiltAt(2, other(99, steps(30))),
    task: { pageSize: 10, how: "iterate" },
    error: "DataRebuilt",
    check: ({ failures }) => expect(failures[0]?.handed).toEqual(steps(20)),
  },
  {
    name: "returns a list with only the current rows after a rebuild",
    script: rebuiltAt(2, [order("093000000", 0, 99), ...steps(5)]),
    task: { pageSize: 10 },
    rows: [order("093000000", 0, 99), ...steps(5)],
  },
  {
    name: "refuses a cursor that is returned twice",
    script: () => ({ days: [{ rows: steps(30), corrupt: { next_cursor: "0/1//10", has_more: true } }] }),
    task: { pageSize: 10 },
    error: "ProtocolError",
  },
  ...[
    { items: null },
    { items: [[1, 2]] },
    { fields: ["time"] },
    { items: steps(6).toReversed() },
    { next_cursor: null, has_more: true },
    { tradedate: "20260310" },
    { items: [], next_cursor: "0/1//10", has_more: true },
  ].map((corrupt) => ({
    name: `refuses a page with ${JSON.stringify(corrupt).slice(0, 40)}`,
    script: () => ({ days: [{ rows: steps(30), corrupt }] }),
    task: { pageSize: 10 },
    error: "ProtocolError",
  })),
];

const withoutPython = isPythonMissing("scripted histories of the Python client");
const { sleep } = clock;
let deployments: ScriptedDeployments;
let python: ReturnType<typeof startPythonPager>;
let keys = 0;
beforeAll(async () => {
  clock.sleep = async () => undefined;
  deployments = await startScriptedDeployments();
  if (!withoutPython) python = startPythonPager();
});
afterAll(async () => {
  clock.sleep = sleep;
  python?.stop();
  await deployments?.stop();
});

/** The quick tier runs some of the histories for the second dataset, which differs only in rows and operation. */
const OF_TRADES = HISTORIES.filter(
  ({ task, check }, place) =>
    task?.fields === undefined && check === undefined && (isLong || place % 3 === 0),
);

describe.each([
  { client: "Python", page: (task: PagingTask) => python.page(task), isMissing: withoutPython },
  { client: "TypeScript", page: pageInTypeScript, isMissing: false },
])("the $client client, paging through", ({ page, isMissing }) => {
  const histories = [
    ...HISTORIES.map((history) => ({ dataset: "orders" as const, ...history })),
    ...OF_TRADES.map((history) => ({ dataset: "trades" as const, ...history })),
  ];
  it.skipIf(isMissing).each(histories)("$dataset, $name", async ({ dataset, script, task, ...expected }) => {
    const { rows, error, restarts, check } = expected;
    deployments.play(script(), dataset);
    const given = { dataset, symbol: SYMBOL, date: DAY, start: null, end: null, fields: null, pageSize: 100 };
    const how = "list";
    const result = await page({ key: `key ${keys++}`, urls: deployments.urls(), ...given, how, ...task });
    const failures = result.attempts.filter((attempt) => "error" in attempt);
    const last = result.attempts.at(-1);
    if (rows !== undefined) expect(last).toEqual({ rows: rows.map((row) => rowAs(dataset, row)) });
    if (error !== undefined) expect(last).toMatchObject({ error });
    if (restarts !== undefined) expect(result.restarts).toBe(restarts);
    expect(Math.min(result.told, 1), "the caller is told of a rebuild").toBe(result.restarts);
    const operations = new Set(deployments.asked.flat().map(({ apiname }) => apiname));
    expect([...operations]).toEqual([DATASETS[dataset].apiname]);
    check?.({ result, failures, asked: deployments.asked });
  });
});
