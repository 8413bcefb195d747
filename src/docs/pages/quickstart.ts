/** The first request, in every tool. */
import { code, heading, note, type PageText, text } from "../block.ts";

export const zh: PageText = {
  title: "快速开始",
  lead: "一个地址、一个 key、一条请求：某只证券某一天的逐笔委托。",
  blocks: [
    text(
      "所有功能都是 `POST /api`，请求体是 JSON，key 放在请求体的 `apikey` 里（请求头中的凭据不看）。先设好两个环境变量，下面的代码都用它们：",
    ),
    code("environment"),
    text("不知道选哪种取法？看[分页、Parquet 还是整日包](/docs/zh/choosing)。"),
    heading("curl", "curl"),
    text("一页 JSON（这里每页 5 行，默认与上限都是 10000 行）："),
    code("curl_page"),
    text("该证券当天的完整 Parquet 文件。`-f` 让错误以退出码报告，不会被存成文件："),
    code("curl_file"),
    heading("python", "Python"),
    text(
      "客户端在仓库的 `src/client/python`，用 `pip install ./src/client/python` 安装，只依赖标准库，Python 3.9 起。它自动翻页、排队、等待和重试，断线后从断点续读：",
    ),
    code("python_rows"),
    text("装有 pandas 时直接得到 DataFrame（`time` 为带日期的时间，`symbol` 始终是字符串）："),
    code("python_frame"),
    heading("typescript", "TypeScript"),
    text(
      "`edgetape-client` 基于 `fetch`，没有依赖，不到 60 kB，在 Node、Chromium 和 Workers 运行时里测试过；Deno 只用到同样的接口，但没有在那里运行过。在仓库里运行 `npm pack ./src/client/typescript`，再 `npm install` 得到的文件：",
    ),
    code("typescript_rows"),
    text(
      "错误带有 `code`、`reason`、`requestId`；每个调用都接受 `AbortSignal`。额度用完时立刻抛出 `QuotaUsed`，再次调用会从断点继续：",
    ),
    code("typescript_errors"),
    text(
      "多只证券、一段日期：`client.orders({ symbols, startDate, endDate })`（TypeScript）和 `client.orders([...], start_date, end_date)`（Python）按日、按证券、按时间给出一个序列；`plan()` 事先说明需要多少请求、额度还剩多少、要几天。",
    ),
    heading("duckdb", "DuckDB"),
    text("上面 curl 保存的文件可直接查询："),
    code("duckdb"),
    heading("pandas", "pandas"),
    code("pandas"),
    heading("polars", "polars"),
    code("polars"),
    note(
      "`symbol` 和 `time` 在 JSON 与 Parquet 里都是字符串：`000001` 不会变成 1，`091500000` 不会丢掉前导 0。读 CSV 中转时请自行指定类型。",
    ),
  ],
};

export const en: PageText = {
  title: "Quick start",
  lead: "One address, one key, one request: the orders of one security on one day.",
  blocks: [
    text(
      "Everything is `POST /api` with a JSON body; the key is its `apikey` (credentials in headers are not looked at). Set two variables first, all code below uses them:",
    ),
    code("environment"),
    text("Not sure which way to take the data? See [pages, Parquet or the pack](/docs/en/choosing)."),
    heading("curl", "curl"),
    text("A page of JSON, five rows here; the default and maximum is 10,000:"),
    code("curl_page"),
    text(
      "The whole day of the security as one Parquet file. With `-f` an error is an exit status and is never saved as a file:",
    ),
    code("curl_file"),
    heading("python", "Python"),
    text(
      "The client is `src/client/python` of the repository: `pip install ./src/client/python`. It needs the standard library only, from Python 3.9 on. It turns pages, queues, waits, tries again, and resumes after broken connections:",
    ),
    code("python_rows"),
    text("With pandas installed, a DataFrame (`time` with its date, `symbol` always a string):"),
    code("python_frame"),
    heading("typescript", "TypeScript"),
    text(
      "`edgetape-client` uses `fetch`, has no dependency and less than 60 kB; it was tested in Node, Chromium and the Workers runtime. Deno has all it uses, but it was never run there. Run `npm pack ./src/client/typescript` in the repository and `npm install` the file it makes:",
    ),
    code("typescript_rows"),
    text(
      "Errors carry `code`, `reason` and `requestId`; every call takes an `AbortSignal`. A used-up quota throws `QuotaUsed` at once, and the same call continues where it stopped:",
    ),
    code("typescript_errors"),
    text(
      "Several securities over a range of days: `client.orders({ symbols, startDate, endDate })` in TypeScript and `client.orders([...], start_date, end_date)` in Python give one sequence, by day, then security, then time. `plan()` says beforehand how many requests it takes, what is left of the quota, and how many days that means.",
    ),
    heading("duckdb", "DuckDB"),
    text("The file that curl saved above, as it is:"),
    code("duckdb"),
    heading("pandas", "pandas"),
    code("pandas"),
    heading("polars", "polars"),
    code("polars"),
    note(
      "`symbol` and `time` are strings in JSON and in Parquet: `000001` does not become 1, and `091500000` keeps its zero. If you pass through CSV, say the types yourself.",
    ),
  ],
};
