/** Messages about the envelope, keys, plans, slots and quotas, in Chinese and English (contract 1.8). */

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

/** Returns the message for an invalid envelope. */
export function envelopeMessage(denial: EnvelopeDenial): Bilingual {
  switch (denial.reason) {
    case "envelope_invalid":
      return invalidEnvelopeMessage(denial);
    case "body_too_large": {
      const limit = `${denial.limitBytes / 1024} KiB`;
      return {
        zh: `请求体过大，最多 ${limit}：每次只查一个证券、一个交易日，请只发送 apiname、apikey、params 和 fields。`,
        en: `The body is too large; at most ${limit} is accepted. Send only apiname, apikey, params and fields, for one security and one day.`,
      };
    }
    case "method_not_allowed":
      return {
        zh: `不支持 ${denial.method} 方法，请用 POST 发送 JSON 请求体。`,
        en: `Method ${denial.method} is not supported: send a JSON body with POST.`,
      };
    case "not_found":
      return {
        zh: "没有这个地址：接口是 POST /api，文档在 /docs/。",
        en: "This path does not exist: the API is POST /api, and its documentation is at /docs/.",
      };
    case "apiname_unknown": {
      const { apiname, nearest, known } = denial;
      return {
        zh: `apiname ${apiname} 不存在${nearest ? `，是否为 ${nearest}？` : "；"}可用：${known.join(", ")}。`,
        en: `There is no apiname ${apiname}${nearest ? `; did you mean ${nearest}?` : "."} Accepted: ${known.join(", ")}.`,
      };
    }
  }
}

function invalidEnvelopeMessage(denial: Extract<EnvelopeDenial, { reason: "envelope_invalid" }>): Bilingual {
  switch (denial.problem) {
    case "not_utf8":
      return {
        zh: `请求体不是 UTF-8 编码的 JSON，例如 ${EXAMPLE}。`,
        en: `The body is not JSON in UTF-8: send a JSON object, for example ${EXAMPLE}.`,
      };
    case "not_json":
      return {
        zh: `请求体不是合法的 JSON，例如 ${EXAMPLE}。`,
        en: `The body is not valid JSON: send a JSON object, for example ${EXAMPLE}.`,
      };
    case "not_object":
      return {
        zh: `请求体必须是 JSON 对象，例如 ${EXAMPLE}。`,
        en: `The body must be a JSON object, for example ${EXAMPLE}.`,
      };
    case "header_length": {
      const limit = `${HEADER_LIMIT / 1024} KiB`;
      return {
        zh: `请求头 ${excerptOf(denial.name)} 过长，最多 ${limit}；key 与参数都放在请求体里。`,
        en: `The header ${excerptOf(denial.name)} is too long; at most ${limit} is accepted. Put the key and the parameters in the body.`,
      };
    }
    case "members": {
      return memberMessage(denial);
    }
  }
}

/** Returns the message for absent members, members of a wrong type and a parameter that is not inside `params`. */
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

/** Returns the message for a refused caller. Existing clients look for `invalid api key`. */
export function accessMessage(denial: AccessDenial): Bilingual {
  switch (denial.reason) {
    case "key_unknown":
      if (denial.empty) {
        return {
          zh: "apikey 无效（invalid api key）：收到的是空值，请把控制台里的 key 填入请求体的 apikey。",
          en: "invalid api key: apikey is empty; copy a key from the console into it.",
        };
      }
      return {
        zh: "apikey 无效（invalid api key），请从控制台完整复制。",
        en: "invalid api key: copy the whole apikey from the console.",
      };
    case "key_revoked":
      return {
        zh: "apikey 已吊销，请在控制台换用新的 key。",
        en: "This apikey was revoked: use a new one from the console.",
      };
    case "account_disabled":
      return { zh: "账户已停用，请联系客服。", en: "This account is disabled: contact support." };
    case "rate_limited":
      return {
        zh: `请求过于频繁，请 ${denial.retryAfterSeconds} 秒后重试；本次未扣次数。`,
        en: `Too many requests: try again in ${denial.retryAfterSeconds} seconds. This one was not counted.`,
      };
  }
}

/** Returns the message for a plan that does not cover the request. */
export function entitlementMessage(denial: EntitlementDenial): Bilingual {
  switch (denial.reason) {
    case "plan_missing": {
      const { service, plan } = denial;
      const opening = PLAN_NAMES.filter((name) => PLANS[name][service].kind !== "none");
      const zhPlan = plan === null ? "账户没有套餐" : `当前套餐${PLAN_NAMES_TEXT[plan].zh}不含此接口`;
      const enPlan =
        plan === null
          ? "the account has no plan"
          : `the ${PLAN_NAMES_TEXT[plan].en} plan does not include it`;
      return {
        zh: `无权使用 ${SERVICE_TEXTS[service]}：${zhPlan}，需要其中之一：${opening.map((name) => PLAN_NAMES_TEXT[name].zh).join("、")}。`,
        en: `No permission for ${SERVICE_TEXTS[service]}: ${enPlan}; it is included in these plans: ${opening.map((name) => PLAN_NAMES_TEXT[name].en).join(", ")}.`,
      };
    }
    case "plan_expired": {
      const ended = beijingTimestamp(denial.endedMs).slice(0, 16).replace("T", " ");
      return {
        zh: `${PLAN_NAMES_TEXT[denial.plan].zh}已于北京时间 ${ended} 到期，请续费后重试。`,
        en: `The ${PLAN_NAMES_TEXT[denial.plan].en} plan ended at ${ended} (Beijing time): renew it and try again.`,
      };
    }
    case "outside_window": {
      const { service, plan, asked, from, days } = denial;
      const parameter = denial.parameter ?? (service === "order_history" ? "tradedate" : "year");
      return {
        zh: `${parameter} ${asked} 不在权限范围内：${PLAN_NAMES_TEXT[plan].zh}可查最近 ${days} 个自然日（北京时间，含今天），即 ${from} 起。`,
        en: `${parameter} ${asked} is outside your window: the ${PLAN_NAMES_TEXT[plan].en} plan covers the last ${days} calendar days including today (Beijing time), that is, ${from} and later.`,
      };
    }
  }
}

/** Returns the message for a taken slot or an exhausted quota. Existing clients look for 额度. */
export function useMessage(denial: UseDenial): Bilingual {
  switch (denial.reason) {
    case "slot_busy":
      if (denial.lacks === "memory") {
        return {
          zh: "同一账户的其他请求或分享下载正在处理，该账户可用的内存不足；不排队，本次未扣次数，请等其中一个结束后重试。",
          en: "Other requests of this account, or downloads of its shares, are in progress and leave too little of the memory that the account may use. This request was neither queued nor counted: try again when one of them has ended.",
        };
      }
      return {
        zh: "同一账户在此接口已有一个请求正在处理，不排队，本次未扣次数；请等它结束后重试。",
        en: "Another request of this account is in progress on this interface. This request was neither queued nor counted: try again when the other one has ended.",
      };
    case "quota_used": {
      const { limit, unit, resetSeconds, interface: name } = denial;
      const [zhUnit, enUnit] =
        unit === "files"
          ? [`个 Parquet 文件`, "Parquet files"]
          : ["次请求（JSON 与 Parquet 合计）", "requests, JSON and Parquet together"];
      const minutesLeft = Math.ceil(resetSeconds / 60);
      const [hours, minutes] = [Math.floor(minutesLeft / 60), minutesLeft % 60];
      return {
        zh: `今日额度已用完：${name ?? "此"} 接口每天 ${limit} ${zhUnit}；北京时间 00:00 重置（约 ${hours} 小时 ${minutes} 分后），请届时再试。`,
        en: `The daily quota (额度) of ${name ?? "this interface"} is used up (${limit} ${enUnit}). It resets at 00:00 Beijing time, in ${hours} h ${minutes} min; try again then.`,
      };
    }
  }
}
