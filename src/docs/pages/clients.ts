/** The two clients, and the shape of the data that they return. */
import { code, heading, list, note, type PageText, table, text } from "../block.ts";

export const zh: PageText = {
  title: "客户端",
  lead: "Python 与 TypeScript：同样的调用，同样的数据；中断后从断点继续。",
  blocks: [
    list(
      "Python：`pip install ./src/client/python`。Python 3.9 起，只需标准库；装有 pandas、polars、pyarrow、tqdm 时会用到。",
      "TypeScript：`npm pack ./src/client/typescript`，再 `npm install` 得到的文件。没有依赖，不到 60 kB；Node、浏览器、Workers。",
      "两者都读取 `EDGETAPE_URL` 与 `EDGETAPE_KEY`（TypeScript 由你传入）。多个地址用逗号分隔，连接中断时换下一个。",
    ),
    heading("datasets", "每个数据集一个方法"),
    text(
      "`client.orders(…)` 读逐笔委托，`client.trades(…)` 读逐笔成交，`client.quotes(…)` 读行情快照；参数、分页、断点续读、`to_df()` 完全相同。其余方法有参数 `dataset`，默认 `orders`。以成交为例，快照同理：",
    ),
    table(
      ["要什么", "Python", "TypeScript"],
      [
        ["一只证券的一天", '`client.trades("600519", day)`', '`client.trades({ symbol: "600519", date })`'],
        [
          "多只证券、多天",
          "`client.trades([…], start_date, end_date)`",
          "`client.trades({ symbols, startDate, endDate })`",
        ],
        [
          "服务给出的 Parquet 文件",
          '`client.trades_parquet("600519", day, path)`',
          "`client.tradesParquet({ symbol, date })`",
        ],
        ["每只证券每天一个文件", '`client.sync(symbols, start, end, folder, "trades")`', "无"],
        [
          "按日的目录，优先用分享",
          '`client.history(symbols, start, end, folder, "trades")`，`read_history(folder, dataset="trades")`',
          "无",
        ],
        [
          "某天是否就绪",
          '`client.wait_until_ready(day, "trades")`',
          '`client.waitUntilReady(day, { dataset: "trades" })`',
        ],
        [
          "交易日、证券、变更、估算",
          "`status`、`symbols`、`changes`、`estimate`，`dataset=…`",
          "同名方法，`{ dataset }`",
        ],
      ],
    ),
    code("python_trades"),
    code("typescript_trades"),
    heading("basket", "多只证券、一段日期"),
    text(
      "得到一个序列：先按日，再按证券（按给出的顺序），再按时间。`plan()` 事先给出需要的请求数、剩余额度、要几天，不计次数；在终端和 notebook 里读取前会自动显示：",
    ),
    code("python_basket"),
    code("typescript_basket"),
    text(
      "额度用完时抛出 `QuotaUsed`；已读的行保留，再次调用同一方法即从断点继续，跨日也一样。没有装载的日子和没有数据的证券列在 `missing` 与 `empty` 里，不计次数。",
    ),
    heading("bulk", "大批历史"),
    text(
      "`history` 在套餐有分享、且分享里是当天现行版本时从分享取（四个并行，不占额度），否则按 Parquet 文件逐个取；校验 SHA-256，再次运行即继续：",
    ),
    code("python_history"),
    text(
      '目录里各数据集的文件放在一起，读的时候要选：`read_history("history", dataset="trades")`；只用 pandas 时读 `glob("history/*/*_trades.parquet")` 列出的文件。`pandas.read_parquet("history")` 会把几个数据集混在一起。同一证券、日期、数据集有几个文件时（如 `history` 与 `sync` 写进了同一目录），内容相同只算一次，不同则抛出 `ValueError`，并给出两个路径。',
    ),
    note(
      "先算再下：5000 只股票、五年，是 600 多万个文件，按每天 300 个要 **55 年**；同样的日子从分享下载整日包约**两天**。超过 30 天额度或 10 万次请求时，客户端会给出 `QuotaWarning`（TypeScript：`plan()` 的 `hint`）。",
    ),
    heading("shape", "数据的形状"),
    text(
      "`to_df()`、`to_polars()`、`read_history()` 只有一种形状；文件（`sync`、`history`、`to_parquet()`、`to_csv()`、服务给出的 Parquet）只有一种形状。列名与顺序都与 [API 的字段](/docs/zh/fields)相同，没有空值：",
    ),
    table(
      ["列", "DataFrame", "文件、`raw=True`、TypeScript"],
      [
        ["`symbol`、`tradedate`", "字符串", "字符串"],
        ["`time`", "带日期的时间，北京时间，不带时区（pandas：datetime64[ns]）", "字符串 HHMMSSmmm"],
        ["代码，如 `order_type`、`bs_flag`", "category", "字符串"],
        ["编号、笔数、数量", "int64", "整数（Parquet：INT64）"],
        ["价格、金额", "float64，元", "浮点数，元（Parquet：DOUBLE）"],
      ],
    ),
    text(
      "`history` 从分享取的文件还带有只在 `fields` 里写出时才返回的列（成交共 12 列，快照共 56 列）；`read_history` 同样只在写出时才返回这些列。",
    ),
    heading("progress", "进度、错误、类型"),
    list(
      "超过两秒的操作在终端和 notebook 里显示进度：装有 tqdm 时用 tqdm，否则一行文字。",
      "503 与带 `Retry-After` 的 429 会等待后重试；403、422、1002 立刻抛出，带 `code`、`reason`、`request_id`。",
      "按 Ctrl-C 或出错后，再次调用同一方法即继续，不丢一行，也不重一行。",
      '`status()["days"]`、`symbols()`、`changes()` 也有 `to_df()` 和 `to_polars()`。',
      "Python 包带 `py.typed`，通过 `mypy --strict` 与 `pyright`；客户端可以 pickle，用于多进程。",
    ),
  ],
};

export const en: PageText = {
  title: "Clients",
  lead: "Python and TypeScript: the same calls, the same data, and every interruption is continued.",
  blocks: [
    list(
      "Python: `pip install ./src/client/python`. From Python 3.9 on, the standard library alone; pandas, polars, pyarrow and tqdm are used where they are installed.",
      "TypeScript: `npm pack ./src/client/typescript`, then `npm install` the file it makes. No dependency, less than 60 kB; Node, browsers and Workers.",
      "Both use `EDGETAPE_URL` and `EDGETAPE_KEY` (in TypeScript you pass them). Several addresses are separated by commas; the next one is used when connections break.",
    ),
    heading("datasets", "A method for each dataset"),
    text(
      "`client.orders(…)` reads orders, `client.trades(…)` trades and `client.quotes(…)` snapshots, with the same parameters, paging, resumption and `to_df()`. Everything else has a parameter `dataset`, by default `orders`. The examples are of trades; quotes are read the same way:",
    ),
    table(
      ["What", "Python", "TypeScript"],
      [
        ["A security's day", '`client.trades("600519", day)`', '`client.trades({ symbol: "600519", date })`'],
        [
          "Many securities, many days",
          "`client.trades([…], start_date, end_date)`",
          "`client.trades({ symbols, startDate, endDate })`",
        ],
        [
          "The service's Parquet file",
          '`client.trades_parquet("600519", day, path)`',
          "`client.tradesParquet({ symbol, date })`",
        ],
        ["One file a security and day", '`client.sync(symbols, start, end, folder, "trades")`', "none"],
        [
          "A folder by day, from shares first",
          '`client.history(symbols, start, end, folder, "trades")`, `read_history(folder, dataset="trades")`',
          "none",
        ],
        [
          "Whether a day is there",
          '`client.wait_until_ready(day, "trades")`',
          '`client.waitUntilReady(day, { dataset: "trades" })`',
        ],
        [
          "Days, securities, changes, estimates",
          "`status`, `symbols`, `changes`, `estimate` with `dataset=…`",
          "methods of the same names, `{ dataset }`",
        ],
      ],
    ),
    code("python_trades"),
    code("typescript_trades"),
    heading("basket", "Many securities, a range of days"),
    text(
      "One sequence: by day, then security in the order given, then time. `plan()` says beforehand how many requests it takes, what is left of the quota and how many days that means, and counts nothing; on a terminal and in notebooks reading says it first by itself:",
    ),
    code("python_basket"),
    code("typescript_basket"),
    text(
      "A used-up quota raises `QuotaUsed`. The rows read are kept, and the same call continues where it stopped, also on another day. Days that are not loaded and securities without rows are listed in `missing` and `empty`, and count nothing.",
    ),
    heading("bulk", "History in bulk"),
    text(
      "`history` takes files of the year's share where the plan has one and it holds the day's present build: four at a time, without quota. The rest are Parquet answers. SHA-256 sums are checked, and running it again continues:",
    ),
    code("python_history"),
    text(
      'The folder holds the files of all datasets, so choose one: `read_history("history", dataset="trades")`, or with pandas alone the files of `glob("history/*/*_trades.parquet")`. `pandas.read_parquet("history")` mixes the datasets. Where several files hold the same security, day and dataset (`history` and `sync` wrote into one folder, for example), equal ones are read once; if they differ, a `ValueError` names both.',
    ),
    note(
      "Plan first: 5,000 stocks for five years are more than 6 million files, which at 300 a day take **55 years**. The same days as packs of a share take about **two days** to download. Beyond 30 days of quota, or 100,000 requests, the client gives a `QuotaWarning` (TypeScript: `hint` of `plan()`).",
    ),
    heading("shape", "The shape of the data"),
    text(
      "`to_df()`, `to_polars()` and `read_history()` have one shape, and so have files (`sync`, `history`, `to_parquet()`, `to_csv()`, the service's own Parquet). Columns have the names and the order of the [API's fields](/docs/en/fields), and no value is missing:",
    ),
    table(
      ["Column", "Data frame", "Files, `raw=True`, TypeScript"],
      [
        ["`symbol`, `tradedate`", "string", "string"],
        [
          "`time`",
          "date and time of Beijing without a time zone (pandas: datetime64[ns])",
          "string HHMMSSmmm",
        ],
        ["Codes, such as `order_type`, `bs_flag`", "category", "string"],
        ["Ids, counts, quantities", "int64", "integer (Parquet: INT64)"],
        ["Prices, amounts", "float64, yuan", "double, yuan (Parquet: DOUBLE)"],
      ],
    ),
    text(
      "Files that `history` takes from a share also have the columns on request (trades then have 12 columns, quotes 56). `read_history` leaves them out unless `fields` names them.",
    ),
    heading("progress", "Progress, errors, types"),
    list(
      "What takes longer than two seconds shows its progress on a terminal and in notebooks: by tqdm where it is installed, else as one line.",
      "503 and 429 with `Retry-After` are waited for; 403, 422 and 1002 are raised at once, with `code`, `reason` and `request_id`.",
      "After Ctrl-C or an error the same call continues: no row is lost, none comes twice.",
      '`status()["days"]`, `symbols()` and `changes()` have `to_df()` and `to_polars()` too.',
      "The Python package has `py.typed` and passes `mypy --strict` and `pyright`; a client can be pickled, for worker processes.",
    ),
  ],
};
