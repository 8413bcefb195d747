/** The answers to refused envelopes, keys, plans, slots and quotas, in Chinese and English (contract 1.4, 1.8). */

import type { Bilingual } from "../base/language.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { DATASETS } from "../datasets/registry.ts";
import type {
  AccessDenial,
  EntitlementDenial,
  ServiceName,
  UseDenial,
} from "../entitlement/caller-denial.ts";
import { PLANS } from "../entitlement/plans.ts";
import { PLAN_NAMES, type PlanName } from "../entitlement/principal.ts";
import { excerptOf } from "../orders/query/query-denial.ts";
import type { EnvelopeDenial, MembersFound } from "./denial.ts";
import { HEADER_LIMIT } from "./envelope.ts";
import type { Outcomes } from "./outcome.ts";

const EXAMPLE = '{"apiname": "level2_order_history", "apikey": "<API_KEY>", "params": {"symbol": "600519"}}';

const PLAN_NAMES_TEXT: Readonly<Record<PlanName, Bilingual>> = {
  free: { zh: "免费版", en: "free" },
  standard: { zh: "标准版", en: "standard" },
  trial: { zh: "试用版", en: "trial" },
  weekly: { zh: "周卡", en: "weekly" },
  professional: { zh: "专业版", en: "professional" },
  flagship: { zh: "旗舰版", en: "flagship" },
};

const SERVICE_TEXTS: Readonly<Record<ServiceName, string>> = {
  // A plan with order history includes the history of every dataset.
  order_history: Object.values(DATASETS)
    .map(({ apiname }) => apiname)
    .join(", "),
  auction_tick: "file_download auction_tick",
  level2: "file_download level2",
};

/** The answers to refused envelopes. */
export const ENVELOPE_OUTCOMES: Outcomes<EnvelopeDenial> = {
  envelope_invalid: (denial) => {
    if (denial.problem === "members") return memberMessage(denial);
    if (denial.problem !== "header_length") return BODIES[denial.problem];
    const [name, limit] = [excerptOf(denial.name), `${HEADER_LIMIT / 1024} KiB`];
    return {
      status: 431,
      zh: `请求头 ${name} 过长，最多 ${limit}；key 与参数都放在请求体里。`,
      en: `The header ${name} is too long; at most ${limit} is accepted. Put the key and the parameters in the body.`,
    };
  },
  body_too_large: ({ limitBytes }) => ({
    status: 413,
    zh: `请求体过大，最多 ${limitBytes / 1024} KiB：每次只查一个证券、一个交易日，请只发送 apiname、apikey、params 和 fields。`,
    en: `The body is too large; at most ${limitBytes / 1024} KiB is accepted. Send only apiname, apikey, params and fields, for one security and one day.`,
  }),
  method_not_allowed: ({ method }) => ({
    status: 405,
    zh: `不支持 ${method} 方法，请用 POST 发送 JSON 请求体。`,
    en: `Method ${method} is not supported: send a JSON body with POST.`,
  }),
  not_found: () => ({
    status: 404,
    zh: "没有这个地址：接口是 POST /api，文档在 /docs/。",
    en: "This path does not exist: the API is POST /api, and its documentation is at /docs/.",
  }),
  apiname_unknown: ({ apiname, nearest, known }) => ({
    zh: `apiname ${apiname} 不存在${nearest ? `，是否为 ${nearest}？` : "；"}可用：${known.join(", ")}。`,
    en: `There is no apiname ${apiname}${nearest ? `; did you mean ${nearest}?` : "."} Accepted: ${known.join(", ")}.`,
  }),
};

const BODIES: Readonly<Record<"not_utf8" | "not_json" | "not_object", Bilingual>> = {
  not_utf8: {
    zh: `请求体不是 UTF-8 编码的 JSON，例如 ${EXAMPLE}。`,
    en: `The body is not JSON in UTF-8: send a JSON object, for example ${EXAMPLE}.`,
  },
  not_json: {
    zh: `请求体不是合法的 JSON，例如 ${EXAMPLE}。`,
    en: `The body is not valid JSON: send a JSON object, for example ${EXAMPLE}.`,
  },
  not_object: {
    zh: `请求体必须是 JSON 对象，例如 ${EXAMPLE}。`,
    en: `The body must be a JSON object, for example ${EXAMPLE}.`,
  },
};

function memberMessage({ members, wrong, flat }: { members: readonly string[] } & MembersFound): Bilingual {
  const absent = members.filter((name) => !wrong.some((each) => each === name));
  const [zh, en]: [string[], string[]] = [[], []];
  if (absent.length > 0) {
    zh.push(`请求体缺少 ${absent.join(", ")}`);
    en.push(`The body lacks ${absent.join(", ")}`);
  }
  if (wrong.length > 0) {
    zh.push(`请求体中 ${wrong.join(", ")} 的类型不对（apiname、apikey 是字符串，params 是对象）`);
    en.push(
      `${en.length === 0 ? "In the body" : "and"} ${wrong.join(", ")} ${wrong.length === 1 ? "has" : "have"} a wrong type (apiname and apikey are strings, params is an object)`,
    );
  }
  const zhNext = flat === null ? `例如 ${EXAMPLE}` : `请把 ${flat} 放到 params 里，例如 ${EXAMPLE}`;
  const enNext =
    flat === null ? `send, for example, ${EXAMPLE}` : `put ${flat} inside params, for example ${EXAMPLE}`;
  return { zh: `${zh.join("；")}：${zhNext}。`, en: `${en.join(", ")}: ${enNext}.` };
}

/** The answers to refused callers. Existing clients look for `invalid api key`. */
export const ACCESS_OUTCOMES: Outcomes<AccessDenial> = {
  key_unknown: ({ empty }) =>
    empty
      ? {
          zh: "apikey 无效（invalid api key）：收到的是空值，请把控制台里的 key 填入请求体的 apikey。",
          en: "invalid api key: apikey is empty; copy a key from the console into it.",
        }
      : {
          zh: "apikey 无效（invalid api key），请从控制台完整复制。",
          en: "invalid api key: copy the whole apikey from the console.",
        },
  key_revoked: () => ({
    zh: "apikey 已吊销，请在控制台换用新的 key。",
    en: "This apikey was revoked: use a new one from the console.",
  }),
  account_disabled: () => ({
    zh: "账户已停用，请联系客服。",
    en: "This account is disabled: contact support.",
  }),
  rate_limited: ({ retryAfterSeconds }) => ({
    code: 429,
    status: 429,
    retryAfterSeconds,
    zh: `请求过于频繁，请 ${retryAfterSeconds} 秒后重试；本次未扣次数。`,
    en: `Too many requests: try again in ${retryAfterSeconds} seconds. This one was not counted.`,
  }),
};

/** The answers to requests that the plan does not cover. */
export const ENTITLEMENT_OUTCOMES: Outcomes<EntitlementDenial> = {
  plan_missing: ({ service, plan }) => {
    const opening = PLAN_NAMES.filter((name) => PLANS[name][service].kind !== "none");
    const named = (language: keyof Bilingual) => opening.map((name) => PLAN_NAMES_TEXT[name][language]);
    const zhPlan = plan === null ? "账户没有套餐" : `当前套餐${PLAN_NAMES_TEXT[plan].zh}不含此接口`;
    const enPlan =
      plan === null ? "the account has no plan" : `the ${PLAN_NAMES_TEXT[plan].en} plan does not include it`;
    return {
      zh: `无权使用 ${SERVICE_TEXTS[service]}：${zhPlan}，需要其中之一：${named("zh").join("、")}。`,
      en: `No permission for ${SERVICE_TEXTS[service]}: ${enPlan}. These plans include it: ${named("en").join(", ")}.`,
    };
  },
  plan_expired: ({ plan, endedMs }) => {
    const ended = beijingTimestamp(endedMs).slice(0, 16).replace("T", " ");
    return {
      zh: `${PLAN_NAMES_TEXT[plan].zh}已于北京时间 ${ended} 到期，请续费后重试。`,
      en: `The ${PLAN_NAMES_TEXT[plan].en} plan ended at ${ended} (Beijing time): renew it and try again.`,
    };
  },
  outside_window: ({ service, plan, asked, from, days, parameter }) => {
    const name = parameter ?? (service === "order_history" ? "tradedate" : "year");
    return {
      zh: `${name} ${asked} 不在权限范围内：${PLAN_NAMES_TEXT[plan].zh}可查最近 ${days} 个自然日（北京时间，含今天），即 ${from} 起。`,
      en: `${name} ${asked} is outside your window: the ${PLAN_NAMES_TEXT[plan].en} plan covers the last ${days} calendar days including today (Beijing time), that is, ${from} and later.`,
    };
  },
};

const SLOT_RETRY_SECONDS = 1;

/** The answers for a taken slot and an exhausted quota. Existing clients look for 额度 in the message. */
export const USE_OUTCOMES: Outcomes<UseDenial> = {
  slot_busy: ({ lacks }) => ({
    retryAfterSeconds: SLOT_RETRY_SECONDS,
    ...(lacks === "memory"
      ? {
          zh: "同一账户的其他请求或分享下载正在处理，该账户可用的内存不足；不排队，本次未扣次数，请等其中一个结束后重试。",
          en: "Other requests of this account, or downloads of its shares, are in progress and leave too little of the memory that the account may use. This request was neither queued nor counted: try again when one of them has ended.",
        }
      : {
          zh: "同一账户在此接口已有一个请求正在处理，不排队，本次未扣次数；请等它结束后重试。",
          en: "Another request of this account is in progress on this interface. This request was neither queued nor counted: try again when the other one has ended.",
        }),
  }),
  quota_used: ({ limit, unit, resetSeconds, interface: name }) => {
    const [zhUnit, enUnit] =
      unit === "files"
        ? ["个 Parquet 文件", "Parquet files"]
        : ["次请求（JSON 与 Parquet 合计）", "requests, JSON and Parquet together"];
    if (limit === 0) {
      return {
        code: 429,
        zh: `${name ?? "此"} 接口没有额度：每天 0 ${zhUnit}；如需使用，请联系服务方。`,
        en: `The daily quota (额度) of ${name ?? "this interface"} is 0 (${enUnit}): ask the service's operator for a quota.`,
      };
    }
    const minutesLeft = Math.ceil(resetSeconds / 60);
    const [hours, minutes] = [Math.floor(minutesLeft / 60), minutesLeft % 60];
    return {
      code: 429,
      zh: `今日额度已用完：${name ?? "此"} 接口每天 ${limit} ${zhUnit}；北京时间 00:00 重置（约 ${hours} 小时 ${minutes} 分后），请届时再试。`,
      en: `The daily quota (额度) of ${name ?? "this interface"} is used up (${limit} ${enUnit}). It resets at 00:00 Beijing time, in ${hours} h ${minutes} min; try again then.`,
    };
  },
};
