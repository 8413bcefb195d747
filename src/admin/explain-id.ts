/** `GET /admin/explain/{requestId}`: what became of a request, with a text to paste to the customer. */
import { beijingTimestamp } from "../calendar/beijing.ts";
import { recentlyActive } from "../catalog/account-list.ts";
import { findRefusal, type Refusal } from "../catalog/refusals.ts";
import { nowMs, settingsOf } from "../env.ts";
import type { GrantSummary, RequestOutcome } from "../gate/protocol.ts";
import type { Denial } from "../http/denial.ts";
import type { Words } from "../http/language.ts";
import { outcomeOf } from "../http/outcome.ts";
import { accountGate, COUNTED_INTERFACE } from "../operations/account-info.ts";
import type { AdminContext } from "./exchange.ts";
import type { ExplainedRequest } from "./wire.ts";

/** Accounts that are asked for a request nobody is named for: those active within three days, the last ones. */
const ACTIVE_MS = 3 * 86_400_000;
const MAX_ASKED = 400;
/** Gate objects asked at once. */
const AT_ONCE = 20;

/** What the gate of an account knows of a request it accepted. */
interface Accepted {
  accountId: string;
  grant: GrantSummary;
  /** How it ended, if that was told. */
  outcome: RequestOutcome | null;
  inProgress: boolean;
}

/** Finds the request among the kept refusals and in the gates, of `?account=` or of those active lately. */
export async function explainId(c: AdminContext): Promise<ExplainedRequest> {
  const requestId = (c.req.param("requestId") ?? "").trim().toLowerCase();
  const refusal = await findRefusal(c.env.DB, requestId);
  const account = c.req.query("account") ?? refusal?.accountId ?? null;
  // Most refusals never reached a gate, and then none knows of them.
  const accepted = refusal !== null && account === null ? null : await findAccepted(c, requestId, account);
  if (refusal !== null) return refused(requestId, refusal, accepted);
  return accepted === null ? unknown(requestId) : ended(requestId, accepted);
}

async function findAccepted(
  c: AdminContext,
  requestId: string,
  account: string | null,
): Promise<Accepted | null> {
  const settings = settingsOf(c.env);
  const since = nowMs(settings) - ACTIVE_MS;
  const accounts = account === null ? await recentlyActive(c.env.DB, since, MAX_ASKED) : [account];
  for (let at = 0; at < accounts.length; at += AT_ONCE) {
    const asked = accounts.slice(at, at + AT_ONCE).map(async (accountId): Promise<Accepted | null> => {
      const { grants = [], last, holder } = await accountGate(c.env, settings, accountId).state();
      const grant = grants.find((each) => each.requestId === requestId);
      const outcome = last.find((each) => each.requestId === requestId) ?? null;
      const inProgress = holder?.requestId === requestId;
      return grant === undefined ? null : { accountId, grant, outcome, inProgress };
    });
    const found = (await Promise.all(asked)).find((each) => each !== null);
    if (found !== undefined) return found;
  }
  return null;
}

function refused(requestId: string, refusal: Refusal, accepted: Accepted | null): ExplainedRequest {
  const { accountId, keyId, interface: asked, atMs } = refusal;
  const { code, reason, words } = outcomeOf(JSON.parse(refusal.denial) as Denial);
  const charged = accepted?.grant.charged ?? false;
  const ending = accepted === null ? NOT_COUNTED : charged ? COUNTED : GIVEN_BACK;
  const at = beijingTimestamp(atMs);
  return {
    requestId,
    state: "refused",
    accountId,
    keyId,
    interface: asked,
    at,
    code,
    reason,
    charged,
    text: {
      zh: `请求 ${requestId}（北京时间 ${at}，接口 ${asked ?? "未识别"}）返回 ${code}（${reason}）：${words.zh}${ending.zh}`,
      en: `Request ${requestId} (${at}, Beijing time, operation ${asked ?? "not recognised"}) was answered ${code} (${reason}): ${words.en} ${ending.en}`,
    },
  };
}

function ended(requestId: string, { accountId, grant, outcome, inProgress }: Accepted): ExplainedRequest {
  const about = { requestId, accountId, keyId: null, interface: COUNTED_INTERFACE, charged: grant.charged };
  const counted = grant.charged ? COUNTED : GIVEN_BACK;
  if (outcome === null) {
    const what = inProgress
      ? { zh: "仍在处理中。", en: "is still in progress." }
      : {
          zh: "已受理，但没有正常结束（例如连接中断）。",
          en: "was accepted and did not end properly (the connection broke, for example).",
        };
    return {
      ...about,
      state: inProgress ? "in_progress" : "unfinished",
      at: null,
      code: null,
      reason: null,
      text: {
        zh: `请求 ${requestId}（${grant.day}）${what.zh}${counted.zh}`,
        en: `Request ${requestId} (${grant.day}) ${what.en} ${counted.en}`,
      },
    };
  }
  const { atMs, code, reason, symbol, tradedate, rows } = outcome;
  const at = beijingTimestamp(atMs);
  return {
    ...about,
    state: code === 200 ? "served" : "refused",
    at,
    code,
    reason,
    text: {
      zh: `请求 ${requestId}（北京时间 ${at}）返回 ${code}（${reason}）：${symbol}，${tradedate}，${rows} 行。${counted.zh}`,
      en: `Request ${requestId} (${at}, Beijing time) was answered ${code} (${reason}): ${symbol}, ${tradedate}, ${rows} rows. ${counted.en}`,
    },
  };
}

const COUNTED: Words = { zh: "已计入当日额度。", en: "It counts against the day's quota." };
const NOT_COUNTED: Words = { zh: "未计入额度。", en: "It was not counted." };
const GIVEN_BACK: Words = { zh: "已计的次数已退回。", en: "It was counted and given back." };

function unknown(requestId: string): ExplainedRequest {
  return {
    requestId,
    state: "unknown",
    accountId: null,
    keyId: null,
    interface: null,
    at: null,
    code: null,
    reason: null,
    charged: false,
    text: {
      zh: `没有找到请求 ${requestId} 的记录：编号有误，或记录已过期。`,
      en: `Nothing is known of request ${requestId}: the id is wrong, or it is too long ago.`,
    },
  };
}
