/** The tables of the documentation that are generated from data. A page includes one with `{{table name}}`. */
import { AUCTION_COLUMNS } from "../auction/columns.ts";
import type { Bilingual } from "../base/language.ts";
import type { Column, Dataset } from "../datasets/dataset.ts";
import { quotes } from "../datasets/quotes.ts";
import { trades } from "../datasets/trades.ts";
import type { Reason } from "../http/denial.ts";
import type { PageLanguage } from "../pages/look.ts";
import { REFUSALS } from "./openapi/refusals.ts";

export interface Table {
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** The tables by name. */
export const TABLES: Readonly<Record<string, (language: PageLanguage) => Table>> = {
  trades: (language) => fieldTable(trades, language),
  quotes: (language) => fieldTable(quotes, language),
  auction: auctionTable,
  reasons: reasonTable,
};

/** The types of values in answers. */
const TYPES: Readonly<Record<Column["kind"], Bilingual>> = {
  symbol: { zh: "字符串，6 位", en: "string of 6 digits" },
  tradedate: { zh: "字符串 `YYYYMMDD`", en: "string `YYYYMMDD`" },
  time: { zh: "字符串 `HHMMSSmmm`，9 位", en: "string `HHMMSSmmm`, 9 digits" },
  code: { zh: "字符串", en: "string" },
  integer: { zh: "整数", en: "integer" },
  price: { zh: "数", en: "number" },
  yuan: { zh: "数", en: "number" },
  amount: { zh: "数", en: "number" },
};

/** Matches the fields of the order book's levels 2 to 10. The table describes them together with level 1. */
const FURTHER_LEVEL = /^(?:bid|ask)(?:_vol)?(?:[2-9]|10)$/;

/** Returns the table of a dataset's fields (contract 4.5, 4.6). The ten levels of an order-book field share one row. */
function fieldTable({ columns }: Dataset, language: PageLanguage): Table {
  const head = { zh: ["字段", "类型与单位", "含义"], en: ["Field", "Type and unit", "Meaning"] }[language];
  const only = { zh: "只在 `fields` 里写出时返回。", en: "Returned only when `fields` names it. " }[language];
  const rows = columns
    .filter(({ name }) => !FURTHER_LEVEL.test(name))
    .map(({ name, kind, unit, description, onRequest }) => {
      const levels = columns.some((each) => each.name === `${name}0`) ? ` … \`${name}0\`` : "";
      return [
        `\`${name}\`${levels}`,
        listed([TYPES[kind][language], unit?.[language]], language),
        `${onRequest ? only : ""}${description[language]}`,
      ];
    });
  return { head, rows };
}

const AUCTION_TYPES = {
  STRING: { zh: "字符串", en: "string" },
  BOOLEAN: { zh: "布尔", en: "boolean" },
  INT64: { zh: "整数", en: "integer" },
  DOUBLE: { zh: "数", en: "number" },
} as const;

/** Returns the table of the auction pack's columns (contract 8.10). */
function auctionTable(language: PageLanguage): Table {
  const head = { zh: ["列", "类型与单位", "含义"], en: ["Column", "Type and unit", "Meaning"] }[language];
  const rows = AUCTION_COLUMNS.map(({ name, type, nullable, unit, description }) => {
    const parts = [AUCTION_TYPES[type][language], unit?.[language], nullable ? "null" : undefined];
    return [`\`${name}\``, listed(parts, language), description[language]];
  });
  return { head, rows };
}

function listed(parts: readonly (string | undefined)[], language: PageLanguage): string {
  return parts.filter((part) => part !== undefined).join(language === "zh" ? "，" : ", ");
}

/** Returns the table of all reasons for a refusal, with the code, the HTTP status, the wait and the advice. */
function reasonTable(language: PageLanguage): Table {
  const head = {
    zh: ["原因", "code", "HTTP", "等待", "怎么办"],
    en: ["Reason", "code", "HTTP", "Wait", "What to do"],
  }[language];
  const rows = REFUSALS.map(({ reason, code, status: { json, parquet }, retryAfterSeconds }) => {
    const wait = retryAfterSeconds === null ? "–" : `${retryAfterSeconds}\u00a0s`;
    const statuses = [...new Set([json, parquet])].join("\u00a0/\u00a0");
    return [`\`${reason}\``, String(code), statuses, wait, ADVICE[reason][language]];
  });
  return { head, rows };
}

/** Advice for each reason. A new reason does not compile until it has an entry here. */
const ADVICE: Readonly<Record<Reason, Bilingual>> = {
  envelope_invalid: {
    zh: "检查请求体：UTF-8 的 JSON 对象，含 apiname、apikey、params；每个请求头不超过 8 KiB",
    en: "Send a JSON object in UTF-8 with apiname, apikey and params, and no header above 8 KiB",
  },
  method_not_allowed: {
    zh: "用 POST；若被重定向成 GET，请直接写最终地址",
    en: "Use POST; if a redirect turned it into a GET, request the final URL",
  },
  body_too_large: {
    zh: "请求体超过 64 KiB，只放需要的参数",
    en: "The body is over 64 KiB: send only what is needed",
  },
  not_found: { zh: "接口是 POST /api，文档在 /docs/", en: "The API is POST /api, documented at /docs/" },
  apiname_unknown: {
    zh: "改正 apiname，消息里有最接近的名字",
    en: "Correct the apiname; the message names the nearest one",
  },
  key_unknown: {
    zh: "检查 key 是否抄全、有无空格、环境变量是否已设置；key 放在请求体里",
    en: "Check that the key is complete, has no blanks and is in the body, and that the environment variable is set",
  },
  key_revoked: { zh: "到控制台换一个 key", en: "Create a new key in the console" },
  account_disabled: { zh: "联系客服", en: "Contact support" },
  plan_missing: {
    zh: "需要包含此接口的套餐，见套餐页",
    en: "A plan that includes this interface is needed: see plans",
  },
  plan_expired: { zh: "续费后重试", en: "Renew and try again" },
  outside_window: {
    zh: "日期早于套餐的窗口；消息里有窗口的第一天",
    en: "The date is before the plan's window; the message names the window's first day",
  },
  rate_limited: { zh: "等 Retry-After 秒再试；放慢速度", en: "Wait Retry-After seconds and slow down" },
  param_invalid: {
    zh: "按消息改正该参数，不要原样重试",
    en: "Correct the parameter as the message says; the same request fails again",
  },
  param_unknown: {
    zh: "参数名写错，或应与 params 并列",
    en: "The name is misspelt, or the parameter belongs beside params",
  },
  param_excluded: {
    zh: "parquet 是整日文件：去掉翻页和时间参数",
    en: "parquet returns the whole day: leave out the paging and time parameters",
  },
  field_unknown: { zh: "改正 fields 中的列名", en: "Correct the column's name in fields" },
  cursor_old_format: { zh: "去掉 cursor，从第一页开始", en: "Start again without a cursor" },
  cursor_invalid: {
    zh: "原样传回 next_cursor；换了线路则从头开始或按位置续读",
    en: "Pass next_cursor unchanged; on a different deployment, start again or continue by position",
  },
  cursor_mismatch: {
    zh: "翻页时证券、日期、时间窗不能变",
    en: "Keep security, date and window while paging",
  },
  data_rebuilt: {
    zh: "数据已重建：丢掉已读的行，从第一页开始",
    en: "The day was rebuilt: discard what you read and start again",
  },
  not_loaded: {
    zh: "没有入库：最近七天的晚些再试，更早的见 data_status",
    en: "Not loaded: for one of the last seven days, try later; for an earlier day, see the loaded days in data_status",
  },
  not_trading_day: { zh: "不是交易日，不会有数据", en: "Not a trading day: there will be no data" },
  future_day: { zh: "日期还没到", en: "The day is in the future" },
  before_history: {
    zh: "早于该数据集最早的数据日，不会有",
    en: "Earlier than the dataset's first day: this day will not be loaded",
  },
  security_unknown: {
    zh: "核对代码、后缀和日期；消息可能给出另一交易所",
    en: "Check code, suffix and date; the message may name the other exchange",
  },
  no_orders: {
    zh: "当天该数据集没有这只证券的行（例如停牌、无成交；指数只有行情快照），不是错误",
    en: "The security has no rows of this dataset that day (halted or not traded; an index has quotes only): not an error",
  },
  withdrawn: {
    zh: "该数据集当天的数据已撤回，核实后可能重新提供",
    en: "The dataset's day was withdrawn; it may be served again after a check",
  },
  nothing_published: {
    zh: "该年可下载范围内还没有文件，晚些再试",
    en: "No file is published yet for the part of that year that your plan covers: try later",
  },
  slot_busy: {
    zh: "上一个请求还在进行：等它结束；不要并行",
    en: "A request is in progress: wait until it ends, and do not send requests in parallel",
  },
  quota_used: {
    zh: "今日额度用完，北京时间零点重置；不要循环重试",
    en: "The day's quota is used up; it resets at midnight in Beijing. Do not retry in a loop",
  },
  unavailable: {
    zh: "服务暂时故障，或账户未读完的应答过多：读完或关闭，等 Retry-After 秒；持续出现请报请求编号",
    en: "A temporary fault, or the account has too many unread answers: read or close them and wait Retry-After seconds; if the fault persists, report the request id",
  },
  day_damaged: {
    zh: "该数据集当天的数据正在修复，其他日子不受影响",
    en: "The dataset's day is being repaired; other days are not affected",
  },
};
