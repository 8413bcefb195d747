/** What a request's reason says to people, in a few words: the list of last requests has room for no more. */
import type { Reason } from "../http/denial.ts";
import type { PageLanguage } from "./words.ts";

type ReasonWords = Readonly<Record<Reason, string>>;

const ZH: ReasonWords = {
  envelope_invalid: "请求体不是合法的 JSON 请求",
  method_not_allowed: "请求方法不支持",
  body_too_large: "请求体过大",
  not_found: "地址不存在",
  apiname_unknown: "apiname 不存在",
  key_unknown: "密钥无效",
  key_revoked: "密钥已吊销",
  account_disabled: "账户已停用",
  plan_missing: "套餐不含此接口",
  plan_expired: "套餐已到期",
  outside_window: "日期不在套餐窗口内",
  rate_limited: "请求过于频繁",
  param_invalid: "参数不正确",
  param_unknown: "参数名不存在",
  param_excluded: "parquet 不支持此参数",
  field_unknown: "字段不存在",
  cursor_old_format: "cursor 是旧格式",
  cursor_invalid: "cursor 无效",
  cursor_mismatch: "参数与 cursor 的第一页不一致",
  data_rebuilt: "数据已重建，请从第一页开始",
  not_loaded: "当日数据尚未入库",
  not_trading_day: "非交易日",
  future_day: "日期尚未到来",
  before_history: "早于最早的数据日",
  security_unknown: "当日没有这只证券",
  no_orders: "当日没有委托",
  withdrawn: "数据已撤回",
  nothing_published: "没有已发布的文件",
  slot_busy: "同一接口已有请求在处理",
  quota_used: "今日额度已用完",
  unavailable: "服务暂时不可用",
  day_damaged: "当日数据正在修复",
};

const EN: ReasonWords = {
  envelope_invalid: "The body is not a valid request",
  method_not_allowed: "Method not supported",
  body_too_large: "Body too large",
  not_found: "No such address",
  apiname_unknown: "No such apiname",
  key_unknown: "Unknown key",
  key_revoked: "Key revoked",
  account_disabled: "Account disabled",
  plan_missing: "Not included in the plan",
  plan_expired: "Plan has ended",
  outside_window: "Date outside the plan's window",
  rate_limited: "Too many requests at once",
  param_invalid: "Wrong parameter",
  param_unknown: "Unknown parameter",
  param_excluded: "Parameter not possible with parquet",
  field_unknown: "Unknown field",
  cursor_old_format: "Cursor of the old format",
  cursor_invalid: "Invalid cursor",
  cursor_mismatch: "Parameters differ from the cursor's first page",
  data_rebuilt: "Data was rebuilt, start from page one",
  not_loaded: "Day not loaded yet",
  not_trading_day: "Not a trading day",
  future_day: "Day still to come",
  before_history: "Before the first day of data",
  security_unknown: "Security not in that day",
  no_orders: "Security without orders that day",
  withdrawn: "Day withdrawn",
  nothing_published: "No file published",
  slot_busy: "Another request was in progress",
  quota_used: "Daily quota used up",
  unavailable: "Service temporarily unavailable",
  day_damaged: "Day being repaired",
};

const SUCCESS: Readonly<Record<PageLanguage, string>> = { zh: "成功", en: "Served" };

/** A reason of `X-Reason`, or `success`, in words; the reason itself when it is not known here. */
export function reasonWords(reason: string, language: PageLanguage): string {
  if (reason === "success") return SUCCESS[language];
  const words: Readonly<Record<string, string>> = language === "zh" ? ZH : EN;
  return words[reason] ?? reason;
}
