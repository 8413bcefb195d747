import { Agent } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { day, randomSecurity } from "../support/builders.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, loadWeekdays, publish } from "../support/operator.ts";
import { printedRandom, type Random, randomFrom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";
import { orderHistory, pageOf } from "../support/walk.ts";
import { spoiltBody, spoiltCursor } from "./hostile-bodies.ts";

const TRADEDATE = "20260311";
const LANES = 8;
const REQUESTS = 20_000;
const CODES = [200, 1002, 403, 422, 429];

/** A caller of its own account: it never meets another one at the slot. */
interface Lane {
  key: string;
  agent: Agent;
  random: Random;
}

let service: Service;
let lanes: Lane[];
beforeAll(async () => {
  service = await startService();
  const random = printedRandom("hostile input");
  await loadWeekdays(service, "20260101", "20261231");
  const securities = [randomSecurity(random, { symbol: "600519", rows: 300 })];
  await publish(service, day({ tradedate: TRADEDATE, securities }));
  lanes = [];
  for (let lane = 0; lane < LANES; lane++) {
    const { key } = await account(service, { plan: "flagship", limits: { files: null } });
    lanes.push({
      key,
      agent: new Agent({ keepAlive: true, maxSockets: 1 }),
      random: randomFrom(random.seed + lane),
    });
  }
});
afterAll(() => service.stop());

const params = { symbol: "600519", tradedate: TRADEDATE, page_size: 5 };

/** Sends `REQUESTS` bodies over all lanes and hands each answer to `check`. */
async function storm(
  make: (lane: Lane) => { body: unknown; check: (answer: Answer) => void },
): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let sent = 0; sent < REQUESTS / LANES; sent++) {
        const { body, check } = make(lane);
        const answer = await call(`${service.baseUrl}/api`, { body, agent: lane.agent });
        checkAnswer(answer, body);
        check(answer);
        const kind = answer.reason ?? "served";
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }
    }),
  );
  return seen;
}

/** A valid envelope with a code of the table, no fault, nothing of the inside, no key (issue: hostile input). */
function checkAnswer(answer: Answer, body: unknown): void {
  const about = () => `${String(body).slice(0, 400)} → HTTP ${answer.status} ${answer.text.slice(0, 400)}`;
  if (answer.headers["content-type"] === "application/vnd.apache.parquet") {
    if (answer.status !== 200) throw new Error(about());
    return;
  }
  const { envelope, text } = answer;
  const wellFormed =
    Object.keys(envelope).join() === "code,message,data" &&
    CODES.includes(envelope.code) &&
    typeof envelope.message === "string" &&
    (envelope.code === 200) === (envelope.data !== null) &&
    answer.status < 500;
  if (!wellFormed) throw new Error(about());
  if (/\bat \S+ \(|\.[jt]s:\d|Error:|\bet_[0-9A-Za-z]{20}/.test(text)) throw new Error(`leaks: ${about()}`);
}

describe("hostile input", () => {
  it("20,000 spoilt bodies each get a valid envelope and never a fault", { timeout: 300_000 }, async () => {
    const seen = await storm(({ key, random }) => {
      const format = random.chance(0.05)
        ? { format: "parquet" }
        : { start_time: "09:30", end_time: "15:00:00" };
      const honest = orderHistory({ apikey: key, params: { ...params, ...format }, fields: "time,price" });
      return { body: spoiltBody(random, honest), check: () => {} };
    });
    console.log("spoilt bodies:", Object.fromEntries(seen));
    expect(seen.get("envelope_invalid")).toBeGreaterThan(1_000);
    expect(seen.get("param_invalid")).toBeGreaterThan(1_000);
  });

  it("20,000 spoilt cursors are refused or serve rows, never a fault", { timeout: 300_000 }, async () => {
    const first = pageOf(await service.post(orderHistory({ apikey: lanes[0]?.key ?? "", params })));
    const genuine = first.next_cursor ?? "";
    const seen = await storm(({ key, random }) => {
      const cursor = spoiltCursor(random, random.pick([genuine, genuine, "v2.093000000-1", "v1.12345"]));
      const body = JSON.stringify(orderHistory({ apikey: key, params: { ...params, cursor } }));
      const check = (answer: Answer) => {
        const served = answer.envelope.code === 200;
        // Served may be: nothing but blanks, an undated cursor, the genuine one with blanks around it.
        const harmless =
          cursor.trim() === "" || cursor.trim() === genuine || /^v2\.\d{9}-\d+$/.test(cursor.trim());
        if (served && !harmless) throw new Error(`served with ${cursor}`);
      };
      return { body, check };
    });
    console.log("spoilt cursors:", Object.fromEntries(seen));
    expect(seen.get("cursor_invalid")).toBeGreaterThan(5_000);
  });

  it("left no key in the log", () => {
    const leaked = service.logs.filter((line) => lanes.some(({ key }) => line.includes(key.slice(3))));
    expect(leaked).toEqual([]);
  });
});
