/** The change log of the API. */
import { heading, list, note, type PageText, text } from "../block.ts";

export const zh: PageText = {
  title: "更新记录",
  lead: "接口的变化；新增不破坏旧的。",
  blocks: [
    heading("quotes", "行情快照"),
    list(
      "新增 `level2_quote_history`（行情快照，十档）与 `quote_history_estimate`，名额、额度、游标各自独立。",
      "`data_status` 的 `datasets`、`account_info` 的 `windows` 与 `quotas` 增加快照；`data_changes`、`data_symbols` 的 `dataset` 可为 `quotes`。",
      "指数只在快照里，须带后缀（`000001.SH`）；不带后缀的 `000001` 始终是深圳的股票。快照使某个代码在两个交易所都出现时，三个接口都要求写后缀。",
      "`level2` 分享的每日目录增加 `<YYYYMMDD>_quotes.parquet`，`by-symbol/` 增加 `<代码>.<SH|SZ>_quotes.parquet`；原有文件不变。",
    ),
    heading("trades", "逐笔成交"),
    list(
      "新增 `level2_trade_history`（逐笔成交）与 `trade_history_estimate`，名额、额度、游标与委托各自独立。",
      "`data_status` 增加 `datasets`，`data_changes` 增加 `dataset` 参数与字段，`data_symbols` 增加 `dataset` 参数，`account_info` 的 `quotas` 每接口一项。",
      "游标带数据集（`v5.`）；之前签发的委托游标（`v4.`）仍可用。",
      "`level2` 分享的每日目录增加 `<YYYYMMDD>_trades.parquet`，`by-symbol/` 增加 `<代码>.<SH|SZ>_trades.parquet`；原有文件不变。",
    ),
    heading("v0-1", "0.1"),
    list(
      "`level2_order_history`：JSON 分页与 Parquet 文件；`file_download`：每年一个分享。",
      "规范之外新增：`account_info`、`data_status`、`data_changes`、`data_symbols`、`order_history_estimate`；`X-Reason`、`X-Revision`、`X-Build`、`X-Window`、`RateLimit` 头。",
      "游标改为带日期、带签名的新格式。旧的“时间偏移”游标加上 `tradedate` 仍可用；最早的委托号游标得到 422 `cursor_old_format`。",
      "未知的参数名改为拒绝（422 `param_unknown`），不再被忽略。",
      "服务自身的故障退回已计的次数。",
      "Python 与 TypeScript 客户端，[/openapi.json](/openapi.json)，本文档。",
    ),
    heading("promises", "承诺"),
    list(
      "已有字段的名称、含义、类型不变；旧名 `order_no`、`side` 继续可用。",
      "新字段、新头、新 `apiname`、`order_type` 的新取值随时可能增加：请忽略不认识的。",
      "原因（`X-Reason`）是封闭列表，增加时写在这里。",
    ),
    text("`GET /health` 给出当前版本。"),
    note("日期与版本以部署为准；自建部署请看仓库的提交记录。"),
  ],
};

export const en: PageText = {
  title: "Change log",
  lead: "What changed in the API; additions break nothing.",
  blocks: [
    heading("quotes", "Quotes"),
    list(
      "`level2_quote_history` (quotes with ten levels) and `quote_history_estimate`, with a slot, a quota and cursors of their own.",
      "`datasets` of `data_status`, `windows` and `quotas` of `account_info` have quotes too; `dataset` of `data_changes` and `data_symbols` may be `quotes`.",
      "Indexes are in quotes only and need their suffix (`000001.SH`): `000001` is always the share in Shenzhen. A code that quotes show on both exchanges needs its suffix at all three interfaces.",
      "The day's folder of a `level2` share also holds `<YYYYMMDD>_quotes.parquet`, and `by-symbol/` a `<code>.<SH|SZ>_quotes.parquet`; the other files stay as they were.",
    ),
    heading("trades", "Trades"),
    list(
      "`level2_trade_history` (trades) and `trade_history_estimate`, with a slot, a quota and cursors of their own.",
      "`data_status` has `datasets`; `data_changes` takes and gives `dataset`, `data_symbols` takes it; `quotas` of `account_info` has an entry for each interface.",
      "Cursors name their dataset (`v5.`); those of orders that were issued before (`v4.`) still work.",
      "The day's folder of a `level2` share also holds `<YYYYMMDD>_trades.parquet`, and `by-symbol/` a `<code>.<SH|SZ>_trades.parquet`; the other files stay as they were.",
    ),
    heading("v0-1", "0.1"),
    list(
      "`level2_order_history`: JSON pages and Parquet files; `file_download`: one share a year.",
      "Beside the specification: `account_info`, `data_status`, `data_changes`, `data_symbols`, `order_history_estimate`; the headers `X-Reason`, `X-Revision`, `X-Build`, `X-Window`, `RateLimit`.",
      "Cursors carry their date and a signature. Time-offset cursors of the former format still work with `tradedate`; those of the first one, by order number, get 422 `cursor_old_format`.",
      "Unknown parameters are refused (422 `param_unknown`), no longer ignored.",
      "Faults of the service give their count back.",
      "Clients for Python and TypeScript, [/openapi.json](/openapi.json), these pages.",
    ),
    heading("promises", "Promises"),
    list(
      "Names, meanings and types of fields stay; the legacy names `order_no` and `side` keep working.",
      "Fields, headers, operations and values of `order_type` may be added at any time: ignore what you do not know.",
      "Reasons (`X-Reason`) are a closed list; additions are told here.",
    ),
    text("`GET /health` tells the version that runs."),
    note("Dates and versions are those of a deployment; for one of your own, see the repository's commits."),
  ],
};
