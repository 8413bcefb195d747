/**
 * `account_info` (contract 9): the key holder's plan, windows and limits, today's remaining quota, and the last
 * requests. Any known key may call it, even after its plan has ended.
 */
import { ok } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { lastRefusals, type Refusal } from "../catalog/refusals.ts";
import { DATASETS, perDataset } from "../datasets/registry.ts";
import type { Principal } from "../entitlement/principal.ts";
import { counterOf, type Standing, standingOf } from "../entitlement/standing.ts";
import type { Env, Settings } from "../env.ts";
import type { Gate } from "../gate/gate-object.ts";
import type { GateState } from "../gate/protocol.ts";
import { gateOf } from "../gate/slot.ts";
import type { Denial } from "../http/denial.ts";
import { outcomeOf } from "../http/outcome.ts";
import { lookUp } from "./operation.ts";
import type { AccountInfo, LastRequest } from "./wire.ts";

/** The interfaces with a slot and daily counters, orders first. */
export const COUNTED_INTERFACES: readonly string[] = Object.values(DATASETS).map(({ apiname }) => apiname);

const LAST_REQUESTS = 20;

export const accountInfo = lookUp({
  apiname: "account_info",
  parameters: () => ({}),
  answer: async ({ log, env, settings, principal, nowMs }) =>
    ok({ data: await log.stage("account", () => accountInfoOf(env, settings, principal, nowMs)) }),
});

/** Returns the gate object of the account and interface. */
export function accountGate(
  env: Env,
  settings: Settings,
  accountId: string,
  apiname: string,
): DurableObjectStub<Gate> {
  return gateOf({ namespace: env.GATE, locationHint: settings.LOCATION_HINT }, accountId, apiname);
}

interface InterfaceState {
  apiname: string;
  state: GateState;
}

/** Returns the answer for `principal` at `nowMs`, from each of the account's gates and one read of the catalog. */
export async function accountInfoOf(
  env: Env,
  settings: Settings,
  principal: Principal,
  nowMs: number,
): Promise<AccountInfo> {
  const { accountId, keyId } = principal;
  const asked = COUNTED_INTERFACES.map(async (apiname): Promise<InterfaceState> => {
    return { apiname, state: await accountGate(env, settings, accountId, apiname).state() };
  });
  const [states, refusals] = await Promise.all([
    Promise.all(asked),
    lastRefusals(env.DB, accountId, LAST_REQUESTS),
  ]);
  const standing = standingOf(principal, nowMs);
  const { order_history, auction_tick, level2 } = standing.windows;
  return {
    account_id: accountId,
    key_id: keyId === "" ? null : keyId,
    plan: standing.plan,
    plan_state: standing.state,
    plan_ends_at: standing.endsAtMs === null ? null : beijingTimestamp(standing.endsAtMs),
    windows: {
      // A plan with order history includes the history of every dataset.
      ...perDataset("apiname", () => order_history),
      auction_tick,
      level2,
    },
    quotas: states.map((each) => quotaOf(standing, each)),
    last_requests: lastRequests(states, refusals),
  };
}

function quotaOf({ limits }: Standing, { apiname, state }: InterfaceState): AccountInfo["quotas"][number] {
  const { use, credited = { requests: 0, files: 0 }, holder } = state;
  const counter = (unit: "requests" | "files") =>
    limits === null ? null : counterOf(limits[unit], use[unit], credited[unit]);
  return {
    interface: apiname,
    day: use.day,
    requests: counter("requests"),
    files: counter("files"),
    resets_in: use.resetSeconds,
    busy: holder !== null,
  };
}

/**
 * Merges accepted and refused requests. A request that failed after it was accepted is in both lists; the result has
 * the gate's entry, which contains more.
 */
function lastRequests(states: InterfaceState[], refusals: Refusal[]): LastRequest[] {
  const accepted = states.flatMap(({ apiname, state }) =>
    state.last.map(({ atMs, requestId, ...rest }) => ({
      atMs,
      request: { request_id: requestId, interface: apiname, ...rest },
    })),
  );
  const known = new Set(accepted.map(({ request }) => request.request_id));
  const refused = refusals
    .filter(({ requestId }) => !known.has(requestId))
    .map((refusal) => ({ atMs: refusal.atMs, request: refusedRequest(refusal) }));
  return [...accepted, ...refused]
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, LAST_REQUESTS)
    .map(({ atMs, request }) => ({ time: beijingTimestamp(atMs), ...request }));
}

function refusedRequest(refusal: Refusal): Omit<LastRequest, "time"> {
  const { requestId, interface: asked } = refusal;
  const denial = JSON.parse(refusal.denial) as Denial;
  const { code, reason } = outcomeOf(denial);
  const symbol = "symbol" in denial ? denial.symbol : refusal.symbol;
  const tradedate = "tradedate" in denial ? denial.tradedate : refusal.tradedate;
  return { request_id: requestId, interface: asked, code, reason, symbol, tradedate, rows: 0 };
}
