/** The page about answers: every member of every operation's answer, and the headers. */
import { type Block, type DocsLanguage, heading, note, type PageText, table, text } from "../block.ts";

interface Part {
  id: string;
  zh: string;
  en: string;
  /** One line for each field: name, type, meaning in Chinese and in English. */
  rows: string;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "字符串",
  "string?": "字符串或 null",
  day: "YYYYMMDD",
  "day?": "YYYYMMDD 或 null",
  time: "HHMMSSmmm",
  "time?": "HHMMSSmmm 或 null",
  instant: "RFC 3339，北京时间",
  "instant?": "RFC 3339，北京时间，或 null",
  integer: "整数",
  "integer?": "整数或 null",
  bytes: "整数，字节",
  "bytes?": "整数，字节，或 null",
  seconds: "整数，秒",
  boolean: "true / false",
  list: "数组",
  object: "对象",
  "object?": "对象或 null",
};

const ENGLISH_TYPES: Readonly<Record<string, string>> = {
  day: "YYYYMMDD",
  time: "HHMMSSmmm",
  instant: "RFC 3339, Beijing time",
  bytes: "integer, bytes",
  seconds: "integer, seconds",
};

const PARTS: readonly Part[] = [
  {
    id: "page",
    zh: "level2_order_history、level2_trade_history、level2_quote_history（一页）",
    en: "level2_order_history, level2_trade_history, level2_quote_history: a page",
    rows: `
fields | list | 各列的名称，按次序 | names of the columns, in order
items | list | 每行一个数组，与 fields 对齐；[字段](/docs/zh/fields)的含义 | an array for each record, aligned with fields; see [fields](/docs/en/fields)
tradedate | day | 答复的是哪一天 | the day that was served
page_size | integer | 实际使用的每页行数 | the page size that was applied, in rows
next_cursor | string? | 下一页的 cursor；最后一页为 null | the cursor of the next page; null on the last page
has_more | boolean | 之后是否还有行 | whether more rows follow`,
  },
  {
    id: "share",
    zh: "file_download（data.data）",
    en: "file_download (data.data)",
    rows: `
status | string | \`ready\`，或外部网盘尚未备好时的 \`preparing\` | \`ready\`, or \`preparing\` while an external share is being made
data_type | string | 所求的类型 | the requested type
year | integer | 所求的年份 | the requested year
start_date | day | 目前覆盖的第一天 | the first day covered now
end_date | day | 目前覆盖的最后一天 | the last day covered now
file_count | integer | 目前覆盖的文件数，不含清单 | number of files covered now, without the lists of files
size_bytes | bytes | 这些文件的总大小 | total size of these files
url | string | 分享的地址 | the share's address
password | string | 密码；用户名是分享编号 | the password; the user name is the share's id
expires_at | instant | 到期时刻（不含） | when the share ends, exclusive
retry_after | seconds | \`preparing\` 时多久后再问；否则 0 | when to ask again while \`preparing\`; else 0`,
  },
  {
    id: "account-info",
    zh: "account_info",
    en: "account_info",
    rows: `
account_id | string | 账户 | the account
key_id | string? | 所用 key 的编号，不是 key；控制台登录时为 null | the id of the key, never the key; null at the console
plan | string? | 有效的套餐；没有时为最近结束的一个 | the plan in force; without one, the plan that ended last
plan_state | string | \`active\`、\`expired\`、\`none\` | \`active\`, \`expired\`, \`none\`
plan_ends_at | instant? | 该套餐的结束时刻（不含） | when that plan ends, exclusive
windows | object | \`level2_order_history\`、\`level2_trade_history\`、\`level2_quote_history\`、\`auction_tick\`、\`level2\` 现在可取的日期，\`from\`、\`to\` 含两端；null 为不可用，\`from\` 为 null 是全部历史 | days that \`level2_order_history\`, \`level2_trade_history\`, \`level2_quote_history\`, \`auction_tick\` and \`level2\` can return now; \`from\` and \`to\` are included. null means no days; a \`from\` of null means all history
quotas | list | 按接口的当日计数，委托在前 | the day's counters by interface, orders first
interface | string | 计数或请求所属的接口 | the interface that is counted, or that was requested
day | day | 计数的北京日 | the day in Beijing that is counted
requests | object? | 请求数，JSON 与 Parquet 合计 | requests, JSON and Parquet together
files | object? | Parquet 文件数 | Parquet files
limit | integer? | 上限；null 为不限 | the limit; null if there is none
used | integer | 已用，含已退回的 | used, including credited requests
credited | integer | 因服务故障退回的 | credited for faults of the service
left | integer? | 剩余 | what is left
resets_in | seconds | 距重置 | until the reset
busy | boolean | 是否有请求正在进行（此时再来一个会是 \`slot_busy\`） | whether a request is in progress, so that another one would be refused as \`slot_busy\`
last_requests | list | 最近 20 个请求，新的在前：\`time\`、\`request_id\`、\`interface\`、\`code\`、\`reason\`、\`symbol\`、\`tradedate\`、\`rows\` | the last 20 requests, the newest first: \`time\`, \`request_id\`, \`interface\`, \`code\`, \`reason\`, \`symbol\`, \`tradedate\`, \`rows\``,
  },
  {
    id: "data-status",
    zh: "data_status",
    en: "data_status",
    rows: `
month | string | 所求的月份，YYYYMM | the requested month, YYYYMM
window_from | day? | 套餐覆盖的第一天；null 为全部历史 | the first day that the plan covers; null means all history
days | list | 窗口内到今天为止的交易日，旧的在前 | trading days of the window up to today, oldest first
state | string | \`available\`；\`degraded\`（可用，但不完整）；\`pending\`（等待入库）；\`missing\`；\`withdrawn\`；\`damaged\` | \`available\`; \`degraded\` (served, but incomplete); \`pending\` (expected); \`missing\`; \`withdrawn\`; \`damaged\`
revision | integer? | 修订号；不可用的日子此后各项均为 null | the revision; this and all members after it are null for days that are not served
build_id | string? | 数据包的构建编号，见 \`X-Build\` | the pack's build id, see \`X-Build\`
rows | integer? | 全市场行数 | rows of the whole market
securities | integer? | 证券数 | securities
size_bytes | bytes? | 整日包的大小 | size of the day's pack
published_at | instant? | 发布时刻 | when it was published
quality | object? | 委托、成交、快照的相互核对：\`verdict\` 为 \`passed\`、\`failed\`（运营方确认后发布）或 \`not_provable\`，\`summary\` 为 \`passed\`、\`not provable\`，或 \`failed\` 并列出最先的几处；未核对时为 null | orders, trades and quotes checked against each other: \`verdict\` is \`passed\`, \`failed\` (published by the operator's decision) or \`not_provable\`; \`summary\` is \`passed\`, \`not provable\`, or \`failed\` with the first faults; null if the day was not checked
datasets | object | 各数据集（\`orders\`、\`trades\`、\`quotes\`）的 \`state\` 及此后各项；日期旁的各项是委托的 | for each dataset (\`orders\`, \`trades\`, \`quotes\`), \`state\` and the members after it; those beside the date are those of orders`,
  },
  {
    id: "data-changes",
    zh: "data_changes",
    en: "data_changes",
    rows: `
changes | list | 变化，按发生次序 | the changes, in the order they happened
change | integer | 变化的编号，一直增大 | the change's number; the numbers ascend
at | instant | 发生时刻 | when it happened
dataset | string | \`orders\`、\`trades\` 或 \`quotes\` | \`orders\`, \`trades\` or \`quotes\`
kind | string | \`published\`、\`restored\`、\`withdrawn\`、\`damaged\` | \`published\`, \`restored\`, \`withdrawn\`, \`damaged\`
previous | integer? | 之前的修订号；首次发布为 null | the previous revision; null for a day's first publication
build_id | string? | \`revision\` 的构建编号；服务已没有该修订时为 null | the build id of \`revision\`; null when the service no longer has that revision
securities | object? | 与之前不同的证券：\`added\`、\`removed\`、\`changed\`，写作 \`600519.SH\`；无从比较时为 null | securities that differ: \`added\`, \`removed\`, \`changed\`, as \`600519.SH\`; null if there is nothing to compare with
next_after | integer | 下次作为 \`after\` 传回 | the value to pass as \`after\` next time
has_more | boolean | 之后是否还有 | whether more changes follow`,
  },
  {
    id: "data-symbols",
    zh: "data_symbols（items 的各列）",
    en: "data_symbols, the columns of items",
    rows: `
symbol | string | 六位代码 | six digits
market | string | \`SH\` 或 \`SZ\` | \`SH\` or \`SZ\`
rows | integer | 所求数据集的行数 | number of rows in the requested dataset
size_bytes | bytes | 其 Parquet 文件（全部字段）的大小 | size of the security's Parquet file with all fields
first_time | time? | 第一行的时间；没有行时为 null | time of the first row; null without rows
last_time | time? | 最后一行的时间 | time of the last row; null without rows`,
  },
  {
    id: "estimate",
    zh: "order_history_estimate、trade_history_estimate、quote_history_estimate",
    en: "order_history_estimate, trade_history_estimate, quote_history_estimate",
    rows: `
start_time | time | 时间窗的起点（含） | start of the time window, inclusive
end_time | time | 时间窗的终点（不含） | end of the time window, exclusive
rows | object | 行数的范围：\`at_least\` 到 \`at_most\`；整天时两者相等 | number of rows as a range, \`at_least\` to \`at_most\`; both are equal for a whole day
pages | object | 页数的范围 | number of pages as a range
parquet_bytes | bytes | 该证券当日 Parquet 文件的大小 | size of the security's Parquet file of the day
cost | object | 会计多少次：\`json\` 与 \`parquet\` 各自的 \`requests\`、\`files\` | what the query would cost: \`json\` and \`parquet\`, each with its \`requests\`; \`parquet\` also with its \`files\`
left_today | object | 今天还剩多少；null 为不限 | what is left today; null means no limit
whole_day | object | 逐只取全天文件的代价：\`securities\` 当日证券数，\`quota_days\` 每只一个 Parquet 文件要用几天额度（不限或额度为 0 时为 null），\`in_share\` 套餐的 \`level2\` 分享里是否有这一天（不计额度） | the cost of a file for every security of the day: \`securities\` is their number; \`quota_days\` is the days of quota for a Parquet file of each (null without a limit or with a limit of 0); \`in_share\` is whether the plan has the day in a \`level2\` share, which uses no quota`,
  },
  {
    id: "headers",
    zh: "答复头",
    en: "Headers of answers",
    rows: `
X-Request-Id | string | 请求编号，联系客服时给出 | the request's id, for support
X-Reason | string | 被拒绝的[原因](/docs/zh/errors)；成功时没有 | the [reason](/docs/en/errors) of a refusal
X-Window | string | 实际的时间窗，\`HHMMSSmmm-HHMMSSmmm\`，终点不含 | the time window that was applied, the end exclusive
X-Revision | integer | 当天的修订号 | the day's revision
X-Build | string | 数据包的构建编号，32 位十六进制；仅当内容相同时才相同，跨部署也成立 | the pack's build id, 32 hex digits; equal build ids mean equal contents, even on different deployments
X-Row-Count | integer | 本次答复的行数 | number of rows in this answer
RateLimit | string | 剩余次数与距重置的秒数 | what is left, and seconds to the reset
Retry-After | seconds | 多久后再试；没有就不必等 | when to try again; absent if waiting does not help`,
  },
];

function rowsOf(part: Part, language: DocsLanguage): string[][] {
  return part.rows
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", type = "", zh = "", en = ""] = line.split(" | ");
      return [
        `\`${name}\``,
        language === "zh" ? (TYPES[type] ?? type) : englishType(type),
        language === "zh" ? zh : en,
      ];
    });
}

function englishType(type: string): string {
  const bare = type.replace("?", "");
  return `${ENGLISH_TYPES[bare] ?? bare}${type.endsWith("?") ? " or null" : ""}`;
}

const blocks = (language: DocsLanguage, head: readonly string[]): Block[] =>
  PARTS.flatMap((part) => [heading(part.id, part[language]), table(head, rowsOf(part, language))]);

export const zh: PageText = {
  title: "答复的各项",
  lead: "每个接口的 data 里有什么，单位是什么，何时为 null。",
  blocks: [
    text(
      "成功时 `code` 为 200，`message` 为 `success`；下面是各接口的 `data`。`symbol`、`tradedate`、`revision` 等处处同义。",
    ),
    ...blocks("zh", ["名称", "类型与单位", "含义"]),
    note("可能增加新的项：请忽略不认识的。"),
  ],
};

export const en: PageText = {
  title: "What answers contain",
  lead: "The members of data for each operation: what they mean, their units, and when they are null.",
  blocks: [
    text(
      "In a successful answer, `code` is 200 and `message` is `success`. The tables describe `data` for each operation. `symbol`, `tradedate`, `revision` and the like mean the same everywhere.",
    ),
    ...blocks("en", ["Name", "Type and unit", "Meaning"]),
    note("Members may be added: ignore those that you do not know."),
  ],
};
