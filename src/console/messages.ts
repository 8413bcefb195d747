/** The console's messages in both languages. Messages with numbers or dates are functions. */

import type { DatasetName } from "../datasets/registry.ts";
import type { PlanName } from "../entitlement/principal.ts";
import type { Reason } from "../http/denial.ts";
import type { PageLanguage } from "../pages/look.ts";
import { byLanguage, type Pair } from "../pages/texts.ts";

export const MESSAGES = byLanguage({
  console: ["控制台", "Console"],
  skipCalendar: ["跳过日历", "Skip the calendar"],
  pages: {
    overview: ["概览", "Overview"],
    keys: ["密钥", "Keys"],
    data: ["数据", "Data"],
    try: ["调试", "Try it"],
    shares: ["共享", "Shares"],
  },
  signOut: ["退出", "Sign out"],
  signedInAs: ["账户", "Account"],
  beijing: ["时间均为北京时间。", "All times are Beijing time."],
  never: ["从未", "never"],
  none: ["–", "–"],
  copy: ["复制", "Copy"],
  copied: ["已复制", "Copied"],

  plans: {
    free: ["免费版", "Free"],
    standard: ["标准版", "Standard"],
    trial: ["试用版", "Trial"],
    weekly: ["周卡", "Weekly card"],
    professional: ["专业版", "Professional"],
    flagship: ["旗舰版", "Flagship"],
  } satisfies Record<PlanName, Pair>,
  planNone: ["没有套餐", "No plan"],
  planEnds: (when: string) => [`有效期至 ${when}`, `until ${when}`],
  planEnded: (when: string) => [`已于 ${when} 到期`, `ended ${when}`],
  covers: ["套餐范围", "What the plan covers"],
  services: {
    level2_order_history: ["逐笔委托查询", "Order history"],
    level2_trade_history: ["逐笔成交查询", "Trade history"],
    level2_quote_history: ["行情快照查询", "Quote history"],
    auction_tick: ["集合竞价文件", "Auction tick files"],
    level2: ["全天逐笔文件", "Full-day tick files"],
  },
  allHistory: (to: string) => [`全部历史，至 ${to}`, `all history to ${to}`],
  window: (from: string, to: string) => [`${from} 至 ${to}`, `${from} to ${to}`],
  notCovered: ["不包含", "not included"],
  today: ["今日用量", "Used today"],
  requests: ["请求次数", "Requests"],
  files: ["Parquet 文件", "Parquet files"],
  usedOf: (used: string, limit: string) => [`${used} / ${limit}`, `${used} of ${limit}`],
  usedUnlimited: (used: string) => [`${used}（不限）`, `${used} (no limit)`],
  usedWithin: (used: string) => [`${used}（计入请求次数）`, `${used} (counted as requests)`],
  nothingToUse: [
    "套餐不含逐笔与行情查询，没有需要计数的用量。",
    "The plan includes no tick history, so there is nothing to count.",
  ],
  credited: (count: number) => [`因服务自身故障退回 ${count} 次`, `${count} credited after our own failures`],
  resets: (hours: number, minutes: number) => [
    `北京时间 00:00 重置，还有 ${hours} 小时 ${minutes} 分。`,
    `Resets at 00:00 Beijing time, in ${hours} h ${minutes} min.`,
  ],
  busy: [
    "有一个请求正在处理，此时在本接口再发会得到 503。",
    "A request is in progress; another one on this interface would get 503.",
  ],
  usage: ["最近 30 天", "The last 30 days"],
  usageNone: ["没有用量。", "Nothing was used."],
  usageFiles: ["文件数", "Files"],
  usageBytes: ["流量", "Traffic"],
  usageChart: (most: string, day: string) => [
    `每日请求次数，${day} 最多，为 ${most} 次。`,
    `Requests per day; the maximum was ${most} on ${day}.`,
  ],
  usageMost: (most: string) => [`单日最多 ${most} 次`, `maximum ${most} per day`],
  usageDays: ["逐日用量", "Numbers by day"],
  usageDay: ["日期", "Day"],
  usageService: ["服务", "Service"],
  usageNote: [
    "已受理的请求，不含退回的。共享中的文件在最后一个字节发出时计数；流量计入传输结束的当天。",
    "Accepted requests, except credited ones. A file of a share counts when its last byte has been sent. The traffic of an answer counts on the day when the answer ended.",
  ],
  lastRequests: ["最近的请求", "Last requests"],
  lastNote: [
    "已受理的请求，以及留有记录的被拒请求。",
    "Served requests, and the refused requests that were recorded.",
  ],
  noRequests: ["还没有请求。", "No request yet."],
  time: ["时间", "Time"],
  request: ["请求", "Request"],
  outcome: ["结果", "Outcome"],
  rows: ["行数", "Rows"],
  requestId: ["请求编号", "Request id"],
  firstSteps: ["第一步", "First steps"],
  firstKey: ["为您的程序创建密钥", "Create a key for your programs"],
  firstTry: ["在这里运行查询，无需密钥和代码", "Run a query here, without a key and without code"],
  firstDocs: ["查看每个字段、限制和代码的含义", "Read what every field, limit and code means"],

  keysLead: [
    "密钥是程序使用的口令，只在创建时显示一次；我们只保存它的哈希值。",
    "A key is the password of your programs. It is shown once, when it is created; we keep only its hash.",
  ],
  keyName: ["名称", "Name"],
  keyNameHint: ["用途，例如“研究用笔记本”", "What it is for, such as “research laptop”"],
  keyBegins: ["开头", "Begins with"],
  created: ["创建于", "Created"],
  keyLastUse: ["最近使用（精确到小时）", "Last use (to the hour)"],
  keyInForce: ["有效", "In force"],
  keyUntil: (when: string) => [`有效至 ${when}`, `until ${when}`],
  keyOver: (when: string) => [`已于 ${when} 失效`, `refused since ${when}`],
  keyCreate: ["新建密钥", "New key"],
  keyCreateButton: ["创建", "Create a key"],
  keyNew: ["新密钥", "Your new key"],
  keyNewNote: ["请立即复制：之后无法再次显示。", "Copy it now: it cannot be shown again."],
  keyNewUse: ["程序从环境变量读取：", "Programs read it from the environment:"],
  keyNewTry: ["“调试”页的每个请求旁都有可复制的程序", "Try it shows each request as a program to copy"],
  keyHashed: ["导入", "imported"],
  noKeys: ["没有有效的密钥。", "No key is in force."],
  roll: ["轮换", "Roll"],
  rollNote: [
    "创建一个同名的新密钥，旧密钥继续有效：",
    "Creates a new key with the same name. The old key keeps working for:",
  ],
  rollSpans: {
    "0": ["立即失效", "not at all"],
    "1": ["1 小时", "1 hour"],
    "24": ["1 天", "1 day"],
    "168": ["7 天", "7 days"],
  },
  rollButton: ["创建新密钥", "Create the new key"],
  revoke: ["吊销", "Revoke"],
  revokeNote: [
    "使用它的程序将在 30 秒内被拒绝，且无法恢复。",
    "Programs that use it are refused within 30 seconds. This cannot be undone.",
  ],
  revokeButton: ["吊销此密钥", "Revoke this key"],
  revoked: [
    "密钥已吊销，使用它的程序将在 30 秒内被拒绝。",
    "The key is revoked. Programs that use it are refused within 30 seconds.",
  ],
  olderKeys: (count: number) => [`已失效的密钥（${count}）`, `Keys no longer in force (${count})`],

  dataset: ["数据集", "Dataset"],
  datasets: {
    orders: ["委托", "Orders"],
    trades: ["成交", "Trades"],
    quotes: ["快照", "Quotes"],
  } satisfies Record<DatasetName, Pair>,
  dataLead: [
    "每日笔数。点击日期可查看当日各数据集及其质量。",
    "Rows per day. Open a day to see its datasets and their quality.",
  ],
  dayLead: ["当日已提供的数据。", "The data that is served for this day."],
  state: ["状态", "State"],
  securitiesColumn: ["证券数", "Securities"],
  publishedColumn: ["发布时间", "Published"],
  open: ["打开", "Open"],
  auctionFile: ["集合竞价文件", "Auction file"],
  fileColumn: ["文件", "File"],
  madeColumn: ["来源", "Origin"],
  fileOrigins: {
    builder: ["由本服务用当日快照生成", "created by this service from the day's quotes"],
    operator: ["由运营方提供", "added by the operator"],
  },
  quality: ["质量", "Quality"],
  qualityOf: (datasets: string) => [`${datasets}的质量检查`, `Quality check of ${datasets.toLowerCase()}`],
  qualityFailed: ["质量检查未通过", "the quality check failed"],
  qualityNote: [
    "发布前，当日各数据集相互核对。未通过的日期由运营方确认后发布；表中数字为证券数。",
    "Before a day is published, its datasets are checked against each other. A day that failed is served because the operator decided so. The numbers count securities.",
  ],
  unchecked: ["未检查", "not checked"],
  checkColumn: ["检查", "Check"],
  listJoint: ["、", ", "],
  dataOutside: [
    "当前套餐不含逐笔与行情查询，没有可显示的数据。",
    "Your plan does not include tick history, so there is no data to show.",
  ],
  year: ["年份", "Year"],
  daysLoaded: ["已提供的交易日", "Trading days served"],
  ofDays: (count: number) => [`/ ${count}`, `of ${count}`],
  newestDay: ["最新交易日", "Newest day"],
  fewer: ["笔数少", "fewer rows"],
  more: ["多", "more"],
  dayStates: {
    available: ["已提供", "served"],
    degraded: ["已提供，但不完整", "served, but incomplete"],
    pending: ["等待入库", "expected"],
    missing: ["缺失", "missing"],
    withdrawn: ["已撤回", "withdrawn"],
    damaged: ["正在修复", "being repaired"],
    closed: ["非交易日", "not a trading day"],
    outside: ["早于可查范围", "before your data begins"],
    upcoming: ["尚未到来", "still to come"],
  },
  dayRows: (rows: string) => [`${rows} 笔`, `${rows} rows`],
  dayRange: (from: string, to: string, count: number) => [
    `${from} 至 ${to}（${count} 个交易日）`,
    `${from} to ${to} (${count} trading days)`,
  ],
  attention: ["需要注意的日期", "Days with a problem"],
  noAttention: [
    "没有缺失、降级或撤回的交易日，质量检查全部通过或未做。",
    "No trading day is missing, degraded or withdrawn, and no quality check failed.",
  ],
  byMonth: ["按月", "By month"],
  monthColumn: ["月份", "Month"],
  daysColumn: ["天数", "Days"],
  missingColumn: ["缺失", "Missing"],
  size: ["大小", "Size"],

  sharesLead: [
    "下载每日文件所用的地址与密码。",
    "A share is an address and a password with which you download daily files.",
  ],
  noShares: ["没有有效的共享。", "No share is open."],
  share: ["共享", "Share"],
  shareEnds: ["有效期至", "Valid until"],
  shareRevokeNote: [
    "使用其地址和密码的下载将在 30 秒内停止；再次请求会生成新的共享。",
    "Downloads with its address and password stop within 30 seconds. Requesting it again creates a new share.",
  ],
  shareAsk: ["请求共享", "Request a share"],
  sharePassword: [
    "程序和其他浏览器用地址、用户名和密码打开共享。用相同的文件种类和年份再次请求，会得到同一个共享；旧共享只剩不到 24 小时时，会得到新的共享。",
    "Programs and other browsers open a share with its address, its user name and its password. Requesting the same files and year again returns the same share, or a new one if the old one ends within 24 hours.",
  ],
  sharePasswordShow: ["显示密码", "Show password"],
  shareUser: ["用户名", "User name"],
  password: ["密码", "Password"],
  shareRevokeButton: ["吊销此共享", "Revoke this share"],
  dataTypes: {
    auction_tick: ["集合竞价逐笔", "Auction ticks"],
    level2: ["全天逐笔", "Full-day ticks"],
  },

  signIn: ["登录", "Sign in"],
  signInInvite: [
    "此链接只能登录一次，在本设备上保持 12 小时。",
    "This link signs you in once, on this device, for 12 hours.",
  ],
  signInNote: [
    "登录使用一次性链接，请向为您开通账户的人索取。",
    "You sign in with a one-time link. Ask the operator who gave you your account for one.",
  ],
  problems: {
    signed_out: ["尚未登录，或会话已结束。", "You are not signed in, or your session has ended."],
    link_unknown: [
      "链接无效。请检查是否完整复制，或索取新的链接。",
      "This link is not valid. Check that you copied all of it, or ask for a new one.",
    ],
    link_spent: ["链接已被使用。请索取新的链接。", "This link was used already. Ask for a new one."],
    link_expired: ["链接已过期。请索取新的链接。", "This link has expired. Ask for a new one."],
    account_disabled: ["账户已停用，请联系客服。", "This account is disabled. Contact support."],
    too_many: [
      "您的地址多次使用了错误的链接，请 15 分钟后再试。",
      "Too many wrong links from your address. Try again in 15 minutes.",
    ],
    form_foreign: [
      "表单不是由本页提交的，或来自之前的会话。没有做任何更改，请重试。",
      "The form was not sent by this page, or it is from an earlier session. Nothing was changed; try again.",
    ],
    key_gone: [
      "没有这个有效的密钥。没有做任何更改。",
      "This key does not exist or is no longer in force. Nothing was changed.",
    ],
    share_gone: [
      "没有这个有效的共享。没有做任何更改。",
      "This share does not exist or is no longer open. Nothing was changed.",
    ],
    keys_full: ["已有 50 个有效的密钥，请先吊销一个。", "50 keys are already in force. Revoke one first."],
    not_found: ["没有这个页面。", "There is no such page."],
    unavailable: [
      "服务暂时不可用，请稍后重试。",
      "The service is temporarily unavailable. Try again in a moment.",
    ],
  },

  /** Short texts of reasons for the list of last requests. */
  reasons: {
    envelope_invalid: ["请求体不是合法的 JSON 请求", "The body is not a valid request"],
    method_not_allowed: ["请求方法不支持", "Method not supported"],
    body_too_large: ["请求体过大", "Body too large"],
    not_found: ["地址不存在", "No such address"],
    apiname_unknown: ["apiname 不存在", "No such apiname"],
    key_unknown: ["密钥无效", "Unknown key"],
    key_revoked: ["密钥已吊销", "Key revoked"],
    account_disabled: ["账户已停用", "Account disabled"],
    plan_missing: ["套餐不含此接口", "Not included in the plan"],
    plan_expired: ["套餐已到期", "Plan has ended"],
    outside_window: ["日期不在套餐窗口内", "Date outside the plan's window"],
    rate_limited: ["请求过于频繁", "Too many requests at once"],
    param_invalid: ["参数不正确", "Wrong parameter"],
    param_unknown: ["参数名不存在", "Unknown parameter"],
    param_excluded: ["parquet 不支持此参数", "Parameter not allowed with parquet"],
    field_unknown: ["字段不存在", "Unknown field"],
    cursor_old_format: ["cursor 是旧格式", "Cursor of the old format"],
    cursor_invalid: ["cursor 无效", "Invalid cursor"],
    cursor_mismatch: ["参数与 cursor 的第一页不一致", "Parameters differ from the cursor's first page"],
    data_rebuilt: ["数据已重建，请从第一页开始", "Data was rebuilt; start from page one"],
    not_loaded: ["当日数据尚未入库", "Day not loaded yet"],
    not_trading_day: ["非交易日", "Not a trading day"],
    future_day: ["日期尚未到来", "Day still to come"],
    before_history: ["早于最早的数据日", "Before the first day of data"],
    security_unknown: ["当日没有这只证券", "No such security that day"],
    no_orders: ["当日没有记录", "No rows of the security that day"],
    withdrawn: ["数据已撤回", "Day withdrawn"],
    nothing_published: ["没有已发布的文件", "No file published"],
    slot_busy: ["已有请求在处理", "Another request was in progress"],
    quota_used: ["今日额度已用完", "Daily quota used up"],
    unavailable: ["服务暂时不可用", "Service temporarily unavailable"],
    day_damaged: ["当日数据正在修复", "Day being repaired"],
  } satisfies Record<Reason, Pair>,
  success: ["成功", "Served"],
});

/** The messages of one language. */
export type Messages = (typeof MESSAGES)["en"];

export type PageName = keyof Messages["pages"];

/** The state of a calendar day. */
export type DayMark = keyof Messages["dayStates"];

/** The reasons why a page could not be served. */
export type Problem = keyof Messages["problems"];

/** Returns the text of a reason in `X-Reason`, or of `success`. Returns an unknown reason unchanged. */
export function reasonText(reason: string, language: PageLanguage): string {
  const { reasons, success } = MESSAGES[language];
  if (reason === "success") return success;
  const known: Readonly<Record<string, string>> = reasons;
  return known[reason] ?? reason;
}
