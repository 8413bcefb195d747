/** The envelope, the parameters, the operations. */
import { code, heading, list, note, type PageText, table, text } from "../block.ts";

export const zh: PageText = {
  title: "请求与参数",
  lead: "同一个地址，用 apiname 选择功能；先看返回体里的 code。",
  blocks: [
    code("request"),
    code("answer"),
    text(
      "返回体总是 `{code, message, data}`。JSON 请求里大多数拒绝的 HTTP 状态也是 200，所以请看 `code`；`format: parquet` 的错误用它自己的 HTTP 状态。每个答复都有 `X-Request-Id`，拒绝时 `X-Reason` 给出[原因](/docs/zh/errors)。机器可读的描述在 [/openapi.json](/openapi.json)。",
    ),
    heading("order-history", "level2_order_history、level2_trade_history、level2_quote_history 的参数"),
    text(
      "委托、成交、快照是三个接口，参数与规则相同，[字段](/docs/zh/fields)不同；各有各的名额、额度与游标，可以同时请求。",
    ),
    table(
      ["参数", "含义"],
      [
        [
          "`symbol`",
          "必填，一次一只证券：`600519`、`600519.SH`（也认 .SS .SSE .XSHG / .SZ .SZSE .XSHE）、`sh600519`。裸代码到当天的索引里找；两个交易所都有时先取股票，再取基金，否则请加后缀",
        ],
        [
          "`tradedate`",
          "`YYYYMMDD` 字符串。省略：交易日历中最新的交易日，不管是否已入库（未入库是 1002，不会悄悄给前一天）；翻页时是游标的日期",
        ],
        [
          "`start_time`、`end_time`",
          "`HH:MM`、`HH:MM:SS`、`HHMMSS`、`HHMMSSmmm`，北京时间；**含起始，不含结束**",
        ],
        ["`page_size`（或 `limit`）", "每页行数，默认与上限 10000，更大按 10000"],
        ["`cursor`", "上一页的 `next_cursor`，原样传回"],
        ["`format`", "`json`（默认）或 `parquet`：当日完整文件，不能同时带上面四个参数"],
        [
          "`fields`（与 params 并列）",
          "要哪些列，按所写顺序：逗号分隔的字符串或字符串数组；旧名 `order_no`、`side` 只在写出时返回",
        ],
      ],
    ),
    text(
      "`null`、空字符串和空白等于没写。整数也可以写成数字字符串。写错的参数名会被拒绝（422），并提示最接近的名字：拼错的 `star_time` 不会悄悄变成查全天。通用客户端自带的 `offset: 0`、`page: 1` 会被忽略，其他取值会被拒绝：翻页请用 `cursor`。",
    ),
    heading("others", "其他 apiname"),
    list(
      "`file_download`：一年每日文件的[分享](/docs/zh/shares)。`data_type` 为 `auction_tick`（2022 年起）或 `level2`（2017 年起），`year`。",
      "`account_info`：套餐、可查范围、今日剩余额度、最近 20 次请求。",
      "`data_status`：某月（`month`，`YYYYMM`）各交易日、各数据集的状态：`available`、`degraded`、`pending`、`missing`、`withdrawn`、`damaged`。",
      "`data_changes`：哪些天变了（`since`、`after`、`limit`、`dataset`），见[修订](/docs/zh/integrity)。",
      "`data_symbols`：某天有哪些证券（`tradedate`、`market`、`dataset`），各多少行、文件多大。",
      "`order_history_estimate`、`trade_history_estimate`、`quote_history_estimate`：查询之前先问行数、页数、字节数与费用。",
    ),
    text("`dataset` 为 `orders`（省略时）、`trades` 或 `quotes`。"),
    note("除 `file_download` 外，以上不占用请求额度，也不占并发名额；其中没有必填参数的可以省略 `params`。"),
    code("account"),
  ],
};

export const en: PageText = {
  title: "Requests and parameters",
  lead: "One address, the operation chosen by apiname; read the code in the body first.",
  blocks: [
    code("request"),
    code("answer"),
    text(
      "The body is always `{code, message, data}`. Most refusals of JSON requests have HTTP status 200 as well, so read `code`; errors of `format: parquet` have an HTTP status of their own. Every answer has `X-Request-Id`, a refusal has its [reason](/docs/en/errors) in `X-Reason`. For machines: [/openapi.json](/openapi.json).",
    ),
    heading(
      "order-history",
      "Parameters of level2_order_history, level2_trade_history and level2_quote_history",
    ),
    text(
      "Orders, trades and quotes are three interfaces with the same parameters and rules and other [fields](/docs/en/fields). Each has its own slot, quota and cursors: ask them at the same time.",
    ),
    table(
      ["Parameter", "Meaning"],
      [
        [
          "`symbol`",
          "Required, one security per request: `600519`, `600519.SH` (also .SS .SSE .XSHG / .SZ .SZSE .XSHE), `sh600519`. Bare digits are looked up in the day; on both exchanges the share comes first, then the fund, else add a suffix",
        ],
        [
          "`tradedate`",
          "A string `YYYYMMDD`. Left out: the newest trading day of the calendar, loaded or not (1002 when not; never quietly the day before); while paging, the cursor's day",
        ],
        [
          "`start_time`, `end_time`",
          "`HH:MM`, `HH:MM:SS`, `HHMMSS`, `HHMMSSmmm` in Beijing; **the start is inclusive, the end exclusive**",
        ],
        [
          "`page_size` (or `limit`)",
          "Rows of a page; 10000 by default and at most, a larger value is served as 10000",
        ],
        ["`cursor`", "`next_cursor` of the page before, unchanged"],
        ["`format`", "`json` (default) or `parquet`: the whole day as one file, without the four above"],
        [
          "`fields` (beside params)",
          "Columns in the order wanted, as a comma-separated string or an array; the legacy names `order_no` and `side` only when written",
        ],
      ],
    ),
    text(
      "`null`, an empty string and blanks are the same as leaving a parameter out. Integers may be strings of digits. An unknown name is refused (422) with the nearest known one: a misspelt `star_time` does not quietly return the whole day. `offset: 0` and `page: 1`, which generic clients send, are ignored; any other value of them is refused: use `cursor`.",
    ),
    heading("others", "The other operations"),
    list(
      "`file_download`: the [share](/docs/en/shares) of a year's daily files. `data_type` is `auction_tick` (from 2022) or `level2` (from 2017), and `year`.",
      "`account_info`: plan, windows, what is left today, the last 20 requests.",
      "`data_status`: the trading days of a `month` (`YYYYMM`) and the state of each dataset: `available`, `degraded`, `pending`, `missing`, `withdrawn`, `damaged`.",
      "`data_changes`: which days changed (`since`, `after`, `limit`, `dataset`), see [revisions](/docs/en/integrity).",
      "`data_symbols`: the securities of a day (`tradedate`, `market`, `dataset`) with rows and file sizes.",
      "`order_history_estimate`, `trade_history_estimate`, `quote_history_estimate`: rows, pages, bytes and cost of a query before it is made.",
    ),
    text("`dataset` is `orders`, also when it is left out, `trades` or `quotes`."),
    note(
      "These but `file_download` count nothing and take no slot; those without a required parameter may be sent without `params`.",
    ),
    code("account"),
  ],
};
