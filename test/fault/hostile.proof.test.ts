/**
 * Sends hostile input over HTTP: corrupt bodies and cursors to `/api`, and corrupt paths, methods, ranges, headers and
 * bodies to every other area. Only documented codes and statuses are returned, without faults or secrets. No request
 * hangs, and the runtime's memory stays bounded.
 */
import { Agent } from "node:http";
import { describe, expect, it } from "vitest";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import { signIn } from "../support/console.ts";
import { publishSections, randomSection } from "../support/dataset-days.ts";
import { shareOf, tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import { type Answer, type Call, call } from "../support/http-client.ts";
import { account, loadWeekdays } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom, type Random, randomFrom } from "../support/random.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import { testService } from "../support/test-service.ts";
import { proofSize } from "../support/tier.ts";
import { corruptBody, corruptCursor } from "./hostile-bodies.ts";
import { expectAreaAnswer, expectCleanLog, expectEnvelope } from "./hostile-checks.ts";
import { corruptHeaders, type HostileBody, hostileBody } from "./hostile-parts.ts";
import { hostileRequest, type Victim } from "./hostile-requests.ts";

const TRADEDATE = "20260311";
const LANES = 8;
/** The total number of hostile requests of all kinds. */
const REQUESTS = proofSize(50_000);
/** A slower answer counts as hanging. A normal answer takes milliseconds, or seconds on a busy machine. */
const HANGING_MS = 120_000;
/**
 * The maximum growth of the runtime's memory: garbage that is not yet collected, and what the stores in the same
 * process keep for each request.
 */
const GROWTH_BYTES = 1_200_000_000 + 1_000 * REQUESTS;
const LOOKED_AT_EVERY = 1_000;

/** A caller with a separate account, so that it never competes for a slot. */
interface Lane {
  key: string;
  agent: Agent;
  random: Random;
  victim: Victim;
}

const seed = printedRandom("hostile input");
const service = await testService();
const runtime = newestRuntime();
await loadWeekdays(service, "20260101", "20261231");
for (const dataset of DATASET_NAMES) {
  const section = randomSection(seed, dataset, { symbol: "600519", rows: 300 });
  await publishSections(service, dataset, TRADEDATE, [section]);
}
await publishFiles(service, tradesFile(TRADEDATE, new Uint8Array(20_000).fill(7)));
const lanes: Lane[] = [];
for (let lane = 0; lane < LANES; lane++) lanes.push(await newLane(randomFrom(seed.seed + lane)));
const atFirstBytes = runtime?.memoryBytes() ?? 0;

async function newLane(random: Random): Promise<Lane> {
  const { key, accountId } = await account(service, { plan: "flagship", limits: { files: null } });
  const share = await shareOf(service, key);
  const holder = await signIn(service, accountId);
  service.secrets.add(share.password, holder.cookie.split("=")[1] ?? "", service.adminToken);
  const limited = await account(service, { plan: "trial" });
  const victim = { share, holder, adminToken: service.adminToken, accountId: limited.accountId };
  return { key, agent: new Agent({ keepAlive: true, maxSockets: 1 }), random, victim };
}

const params = { symbol: "600519", tradedate: TRADEDATE, page_size: 5 };

/** One request and a check of its answer. The check returns the kind of the answer. */
interface Shot {
  path: string;
  options: Call;
  /** The service may close the connection before it has read the whole body. */
  mayBreak: boolean;
  check(answer: Answer): string;
}

/** Sends `count` requests over all lanes. Returns the number of answers of each kind. */
async function storm(count: number, make: (lane: Lane) => Shot): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  let sent = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (sent < count) {
        if (++sent % LOOKED_AT_EVERY === 0) expectCleanLog(service);
        const kind = await shoot(lane, make(lane));
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }
    }),
  );
  expectCleanLog(service);
  return new Map([...seen].toSorted(([, a], [, b]) => b - a));
}

async function shoot({ agent }: Lane, { path, options, mayBreak, check }: Shot): Promise<string> {
  const about = () =>
    `${options.method ?? "POST"} ${path.slice(0, 300)} ${JSON.stringify(options).slice(0, 1_500)}`;
  const url = service.baseUrl + path;
  // A reused connection may have been closed after the previous answer, so a failed request is repeated on a new one.
  const asked = call(url, { ...options, agent }).catch(() => call(url, { ...options, agent: new Agent() }));
  let timer: NodeJS.Timeout | undefined;
  const hanging = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`hangs: ${about()}`)), HANGING_MS);
  });
  try {
    const answer = await Promise.race([asked, hanging]);
    return check(answer);
  } catch (error) {
    if (mayBreak && /ECONNRESET|EPIPE|hang up/.test(String(error))) return "closed while sending";
    throw new Error(`${String(error)} at ${about()}`);
  } finally {
    clearTimeout(timer);
  }
}

describe(`the service under ${REQUESTS} hostile requests`, () => {
  it("answers corrupt bodies to /api with a valid envelope and never with a fault", async () => {
    const seen = await storm(0.4 * REQUESTS, ({ key, random }) => {
      const format = random.chance(0.05)
        ? { format: "parquet" }
        : { start_time: "09:30", end_time: "15:00:00" };
      const dataset = random.pick(DATASET_NAMES);
      const asked = { dataset, apikey: key, params: { ...params, ...format }, fields: "time,volume" };
      const honest = orderHistory(asked);
      const {
        body,
        headers,
        isOversized = false,
      }: HostileBody = random.chance(0.8)
        ? { body: corruptBody(random, honest), headers: {} }
        : hostileBody(random, JSON.stringify(honest));
      const more = random.chance(0.2) ? corruptHeaders(random) : {};
      const options = { body, headers: { ...more, ...headers } };
      return { path: random.pick(["/api", "/api/"]), options, mayBreak: isOversized, check: expectEnvelope };
    });
    console.log("corrupt bodies:", Object.fromEntries(seen));
    expect(seen.get("envelope_invalid")).toBeGreaterThan(0.05 * REQUESTS);
    expect(seen.get("param_invalid")).toBeGreaterThan(0.05 * REQUESTS);
  });

  it("answers corrupt cursors with a refusal or with rows, never with a fault", async () => {
    const genuineOf = async (dataset: DatasetName) => {
      const request = orderHistory({ dataset, apikey: lanes[0]?.key ?? "", params });
      return pageOf(await service.post(request)).next_cursor ?? "";
    };
    const cursors = new Map<DatasetName, string>();
    for (const dataset of DATASET_NAMES) cursors.set(dataset, await genuineOf(dataset));
    const seen = await storm(0.2 * REQUESTS, ({ key, random }) => {
      const dataset = random.pick(DATASET_NAMES);
      const genuine = cursors.get(dataset) ?? "";
      const other = cursors.get(random.pick(DATASET_NAMES)) ?? "";
      const cursor = corruptCursor(random, random.pick([genuine, other, "v2.093000000-1", "v1.12345"]));
      const body = JSON.stringify(orderHistory({ dataset, apikey: key, params: { ...params, cursor } }));
      const check = (answer: Answer) => {
        const kind = expectEnvelope(answer);
        // A request may be served only if its cursor is blank, undated, or the original cursor with or without blanks.
        const harmless =
          cursor.trim() === "" || cursor.trim() === genuine || /^v2\.\d{9}-\d+$/.test(cursor.trim());
        if (kind === "served" && !harmless) throw new Error(`served with ${cursor}`);
        return kind;
      };
      return { path: "/api", options: { body }, mayBreak: false, check };
    });
    console.log("corrupt cursors:", Object.fromEntries(seen));
    expect(seen.get("cursor_invalid")).toBeGreaterThan(0.05 * REQUESTS);
  });

  it("answers corrupt requests to shares, console, admin and docs only with the statuses that each of them uses", async () => {
    const seen = await storm(0.4 * REQUESTS, ({ random, victim }) => {
      const { area, path, isOversized = false, ...options } = hostileRequest(random, victim);
      const check = (answer: Answer) => expectAreaAnswer(area, answer, service.secrets);
      return { path, options, mayBreak: isOversized, check };
    });
    console.log("corrupt requests:", Object.fromEntries(seen));
    for (const area of ["share", "console", "admin", "docs", "health"]) {
      expect(seen.get(`${area} 200`), area).toBeGreaterThan(0);
    }
  });

  it("stays healthy, and its memory stays bounded", async () => {
    const [lane] = lanes;
    pageOf(await service.post(orderHistory({ apikey: lane?.key ?? "", params })));
    expect((await call(`${service.baseUrl}/health`, { method: "GET" })).status).toBe(200);
    if (runtime === null) return;
    const grewBytes = runtime.memoryBytes() - atFirstBytes;
    console.log(`the runtime grew by ${Math.round(grewBytes / 1e6)} MB over ${REQUESTS} hostile requests`);
    expect(grewBytes).toBeLessThan(GROWTH_BYTES);
  });
});
