import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DayDetail } from "../../src/admin/wire.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import type { Row } from "../support/builders.ts";
import { deliver } from "../support/deliveries.ts";
import { MOMENTS } from "../support/killable.ts";
import { pause } from "../support/npm-start.ts";
import { account, asOperator, dayAt } from "../support/operator.ts";
import { orderHistory, readAllPages } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { type Ended, runEdgetape, startEdgetape } from "../support/running-command.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

const TRADEDATE = "20260311";
const SYMBOL = "600519";
const LONG_MS = 1_800_000;

const random = printedRandom("commands killed");

const service = await testService();
const apikey = (await account(service, { plan: "flagship" })).key;
const folder = testFolder("edgetape-commands-");

/** Returns the served rows of the security, or null when the day is withdrawn. */
async function served(): Promise<Row[] | null> {
  const params = { symbol: SYMBOL, tradedate: TRADEDATE };
  const { reason } = await service.post(orderHistory({ apikey, params: { ...params, page_size: 1 } }));
  return reason === "withdrawn" ? null : (await readAllPages(service, { apikey, params })).rows;
}

const summary = (dataset?: DatasetName) => dayAt(service, TRADEDATE, dataset);

/** The duration of a command on this machine, and the number of its requests. */
interface Course {
  runMs: number;
  requests: number;
}

/** A command's arguments and additional environment variables. */
interface Command {
  args: string[];
  environment?: Record<string, string>;
}

/** Runs the command, which must succeed, and returns its duration and the number of its requests. */
async function toEnd({ args, environment }: Command): Promise<Course> {
  const [startedMs, lines] = [performance.now(), service.logs.length];
  const { status, stderr } = await runEdgetape(args, service, environment);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return { runMs: performance.now() - startedMs, requests: service.logs.length - lines };
}

/**
 * Runs the command and kills it at a random moment: after a random part of the usual duration, or shortly after a
 * random request.
 */
async function killed({ args, environment }: Command, { runMs, requests }: Course): Promise<Ended> {
  const lines = service.logs.length;
  const running = startEdgetape(args, service, environment);
  let isOver = false;
  void running.ended.then(() => {
    isOver = true;
  });
  if (random.chance(0.5)) await Promise.race([pause(random.next() * runMs), running.ended]);
  else {
    const killAt = lines + random.integer(1, requests);
    while (service.logs.length < killAt && !isOver) await pause(1);
    await pause(random.next() * 20);
  }
  running.kill();
  return running.ended;
}

/** Returns the command of a round and the rows that the command publishes. The previous round has different rows. */
type Bring = (round: number) => Promise<{ command: Command; rows: Row[] }>;

/** Kills the command in each round. Then the previous or the new rows must be served, and a second run must succeed. */
async function replacedInRounds(bring: Bring, check?: (revisionBefore: number) => Promise<void>) {
  let { command, rows: before } = await bring(0);
  const course = await toEnd(command);
  let cut = 0;
  for (let round = 1; round <= MOMENTS; round++) {
    const { revision } = await summary();
    const { command, rows: after } = await bring(round);
    if ((await killed(command, course)).status === null) cut++;
    expect([before, after]).toContainEqual(await served());
    await toEnd(command);
    expect(await served()).toEqual(after);
    await check?.(revision);
    before = after;
  }
  console.log(`${cut} of ${MOMENTS} runs were killed before their end`);
  expect(cut).toBeGreaterThan(0);
}

describe(`after kills at ${MOMENTS} random moments, edgetape`, () => {
  it(
    "rebuild leaves the old or the new revision served, and completes when run again",
    () =>
      replacedInRounds(async (round) => {
        const delivered = deliver(join(folder, "a"), TRADEDATE, 1_000, { seed: `round ${round}` });
        const args = [
          ...["rebuild", join(folder, "a", TRADEDATE), "--date", TRADEDATE],
          ...["--out", join(folder, "packs"), "--threads", "1"],
          // A security can have a tenth fewer rows than before, so the publication must be forced.
          "--force",
        ];
        return { command: { args }, rows: delivered.rowsOf(SYMBOL) };
      }),
    LONG_MS,
  );

  it(
    "nightly leaves the old or the new revision served, and a second run completes and sends the notice",
    async () => {
      await using receiver = await startReceiver();
      const drop = join(folder, "drop");
      // From round to round, trades and quotes can lose more than a tenth of their rows, so publishing needs force.
      const quick = ["--stable", "0", "--poll", "0.05", "--threads", "0", "--force"];
      const args = ["nightly", drop, "--date", TRADEDATE, ...quick];
      const command = { args, environment: { EDGETAPE_WEBHOOK_URL: receiver.url } };
      let counts = { orders: 0, trades: 0, quotes: 0 };
      const bring: Bring = async (round) => {
        receiver.received.length = 0;
        const delivered = deliver(drop, TRADEDATE, 2_000, {
          seed: `round ${round}`,
          datasets: DATASET_NAMES,
        });
        ({ counts } = delivered);
        return { command, rows: delivered.rowsOf(SYMBOL) };
      };
      await replacedInRounds(bring, async () => {
        for (const dataset of ["trades", "quotes"] as const) {
          expect(await summary(dataset)).toMatchObject({ state: "available", rows: counts[dataset] });
        }
        expect(receiver.received.length).toBeGreaterThanOrEqual(1);
        expect(receiver.received.at(-1)?.body.event).toBe("nightly.published");
      });
    },
    LONG_MS,
  );

  it(
    "day withdraw, publish or restore is applied fully or not at all, and is applied when run again",
    async () => {
      const action = async (name: string) => {
        const path = `/admin/days/${TRADEDATE}?dataset=orders`;
        const { day, revisions } = await asOperator<DayDetail>(service, "GET", path);
        const earlier = revisions.find(({ buildId }) => buildId !== day.buildId)?.revision;
        const to = name === "restore" ? ["--to", String(earlier)] : [];
        return ["day", name, TRADEDATE, "--if-revision", String(day.revision), ...to, "--yes"];
      };
      let other = await served();
      const course = await toEnd({ args: await action("restore") });
      let present = await served();
      const seen = { cut: 0, before: 0, after: 0 };
      for (let round = 0; round < MOMENTS; round++) {
        const kind = ["withdraw", "publish", "restore"][round % 3] ?? "";
        const [from, goal] = [await served(), { withdraw: null, publish: present, restore: other }[kind]];
        const args = await action(kind);
        if ((await killed({ args }, course)).status === null) seen.cut++;
        const state = await served();
        expect([from, goal]).toContainEqual(state);
        seen[JSON.stringify(state) === JSON.stringify(goal) ? "after" : "before"]++;
        // The second run applies the action, or is refused because the first run has already applied it.
        expect([0, 1]).toContain((await runEdgetape(args, service)).status);
        expect(await served()).toEqual(goal);
        if (kind === "restore") [present, other] = [other, present];
      }
      console.log(`actions of a day: ${JSON.stringify(seen)}`);
      expect(seen.cut).toBeGreaterThan(0);
    },
    LONG_MS,
  );
});
