/** Plans and limits (contract 7). */
import { code, heading, list, note, type PageText, table, text } from "../block.ts";

export const zh: PageText = {
  title: "套餐与限制",
  lead: "能查哪些天，每天几次，同时几个；额度在北京时间零点重置。",
  blocks: [
    table(
      ["套餐", "逐笔委托、逐笔成交、行情快照查询", "每北京日、每接口", "文件分享"],
      [
        ["免费版、标准版", "不可用", "–", "不可用"],
        ["试用版", "全部历史", "100 次，JSON 与 Parquet 合计", "不可用"],
        [
          "专业版、周卡",
          "最近 30 个自然日，含今天",
          "30 个 Parquet 文件；JSON 不限次",
          "竞价 365 个自然日，全天逐笔 30 个自然日",
        ],
        ["旗舰版", "全部历史", "300 个 Parquet 文件；JSON 不限次", "所选年份全部"],
      ],
    ),
    text(
      "N 天的窗口含今天，按北京时间的自然日算，周末和节假日也算，不为凑交易日而往前延。周卡是从开始时刻起的 7 × 24 小时。多个订阅重叠时取最好的一个。账户可以有自己的额度，以 `account_info` 为准：",
    ),
    code("account"),
    heading("counting", "怎么计数"),
    list(
      "请求被受理时计一次：参数错误、无权限、无数据、名额占用都**不计**。唯一的例外：`v2.` 游标的偏移超出该毫秒的行数，要读取当日数据才能发现，因此计一次。",
      "失败后重试、重复下载都再计一次；若失败是服务自身的故障（503 `unavailable` 或传输中断），已计的次数会退回。",
      '剩余额度在计入额度的接口的 `RateLimit` 头里：`"files";r=29;t=3600` 表示还剩 29 个，3600 秒后重置。',
      "用完后是 429 `quota_used`，没有 `Retry-After`：等到零点，不要循环重试。",
      "升级套餐时，当天已用的次数照算。",
      "控制台概览页有最近 30 天每项服务的请求次数、文件数和流量。",
    ),
    heading("concurrency", "并发与速率"),
    list(
      "逐笔委托、逐笔成交、行情快照：同一账户在每个接口一次一个请求，JSON 与 Parquet 合用，跨 key、跨实例；同一接口的第二个是 503 `slot_busy`，三个接口可以同时各有一个，额度也各算各的。不同线路各有各的名额和额度。",
      "所有接口共用每账户的每秒限速（约每 10 秒 500 次，按地点近似计算），超过是 HTTP 429 `rate_limited`，`Retry-After` 10 秒。",
      "带宽不限速。Parquet 答复最长 5 分钟，JSON 最长 60 秒，首字节 15 秒内到达。",
    ),
    note("客户端断开后一秒内释放名额；进程崩溃时最迟到该请求的时限。"),
  ],
};

export const en: PageText = {
  title: "Plans and limits",
  lead: "Which days, how often a day, how many at once; counters reset at midnight in Beijing.",
  blocks: [
    table(
      ["Plan", "Orders, trades, quotes", "A Beijing day and interface", "Shares"],
      [
        ["free, standard", "not available", "–", "not available"],
        ["trial", "all history", "100 requests, JSON and Parquet together", "not available"],
        [
          "professional, weekly card",
          "the latest 30 calendar days, today included",
          "30 Parquet files; JSON without limit",
          "auction 365 calendar days, full-day ticks 30",
        ],
        ["flagship", "all history", "300 Parquet files; JSON without limit", "the whole year"],
      ],
    ),
    text(
      "A window of N days includes today and counts calendar days in Beijing, weekends and holidays too; it is not stretched to make up trading days. The weekly card is 7 × 24 hours from its start. Of overlapping subscriptions the best one counts. An account may have limits of its own; `account_info` tells:",
    ),
    code("account"),
    heading("counting", "What is counted"),
    list(
      "One count when a request is accepted: a wrong parameter, a missing permission, no data or a busy slot count **nothing**. One exception: a `v2.` cursor whose offset is beyond the rows of its millisecond is found out by reading the day, and counts.",
      "A retry after a failure, and a repeated download, count again; when the failure was the service's own (503 `unavailable`, or a body that broke), its count is credited.",
      'What is left is in `RateLimit` of the answers that count against a quota: `"files";r=29;t=3600` is 29 left, and 3600 seconds to the reset.',
      "Used up is 429 `quota_used`, without `Retry-After`: wait for midnight, do not loop.",
      "An upgrade counts what was used earlier that day.",
      "The overview in the console has the requests, files and traffic of each service in the last 30 days.",
    ),
    heading("concurrency", "At once, and per second"),
    list(
      "Orders, trades, quotes: one request per account and interface in progress, JSON and Parquet together, across keys and instances; a second one at the same interface is 503 `slot_busy`. One at each runs side by side, and each counts for itself. Other lines have slots and quotas of their own.",
      "All interfaces share a ceiling per account (about 500 in 10 seconds, approximate and per location): HTTP 429 `rate_limited`, `Retry-After` 10 seconds.",
      "Bandwidth is not throttled. A Parquet answer may take 5 minutes, JSON 60 seconds; the first byte comes within 15.",
    ),
    note(
      "A client that goes away frees its slot within a second; one that crashes at the latest when the request's time is over.",
    ),
  ],
};
