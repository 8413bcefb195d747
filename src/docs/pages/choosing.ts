/** When to take pages, the Parquet answer, or the pack. */
import { code, heading, note, type PageText, table, text } from "../block.ts";

export const zh: PageText = {
  title: "分页、Parquet 还是整日包",
  lead: "要一段时间用分页，要一只证券的一天用 Parquet，要全市场用整日包。",
  blocks: [
    table(
      ["取法", "适合", "大小与次数"],
      [
        [
          "JSON 分页",
          "某只证券的一段时间；盘后看几分钟；没有 Parquet 库的环境",
          "满页 10000 行约 660 KB，压缩传输约 0.1 MB（客户端会声明接受压缩）",
        ],
        [
          "Parquet 文件",
          "某只证券的整天，进 DataFrame 或 DuckDB",
          "每行约 8 字节；一次请求，计一个文件；不能断点续传，断了重取",
        ],
        ["整日包（分享）", "全市场或很多证券；长期留存", "一天一个文件；可断点续传，不计请求额度"],
      ],
    ),
    text(
      "全市场一天约 1.3 亿行、7800 只证券：分页要约 **17000 页**（每只证券的最后一页不满），整日包只要**一个文件**。整日包本身就是普通的 Parquet，按证券、时间排序，可直接查询：",
    ),
    code("pack"),
    text(
      "分享里还有 `<日期>/by-symbol/<代码>.<SH|SZ>.parquet`：不下整包也能取其中一只证券，按普通文件读。见[分享](/docs/zh/shares)。",
    ),
    heading("estimate", "先问再取"),
    text("`order_history_estimate` 不计次数，给出行数、页数、Parquet 字节数和今日剩余额度："),
    code("estimate"),
    heading("sync", "一批证券、一段日期"),
    text(
      "Python 客户端的 `sync` 每只证券每天一个 Parquet 文件：已有的跳过，修订过的重取，额度用完就干净地停下，第二天再运行即继续：",
    ),
    code("sync"),
    text(
      "`client.history(symbols, start_date, end_date, folder)` 按日建目录：套餐有分享时从分享取，不占额度，否则同 `sync`；`read_history(folder)` 读成一个 DataFrame。",
    ),
    note(
      "**多年、很多证券：用分享。** 五年 5000 只证券约 600 万个 Parquet 文件，按旗舰版每天 300 个要取 55 年；同样的整日包约 1200 个、1.3 TB，60 Mbit/s 的线路两天就能取完，不计额度。",
    ),
    note("试用版的 JSON 与 Parquet 合计每天 100 次：一只证券的一天，一次 Parquet 请求比十几页分页划算得多。"),
  ],
};

export const en: PageText = {
  title: "Pages, Parquet or the pack",
  lead: "Pages for a stretch of time, Parquet for a security's day, the pack for the market.",
  blocks: [
    table(
      ["Way", "Good for", "Size and count"],
      [
        [
          "JSON pages",
          "A stretch of time of one security; a few minutes to look at; where no Parquet library is",
          "A full page of 10,000 rows is about 660 KB, 0.1 MB compressed on the way (the clients ask for that)",
        ],
        [
          "Parquet file",
          "The whole day of one security, into a DataFrame or DuckDB",
          "About 8 bytes a row; one request, counted as one file; not resumable, ask again when it breaks",
        ],
        [
          "The day's pack (share)",
          "The market, or many securities; to keep",
          "One file a day; resumable, counted nowhere",
        ],
      ],
    ),
    text(
      "The whole market is about 132 million rows a day in 7,800 securities: **17,000 pages** (the last page of each is not full), or **one pack**. The pack is an ordinary Parquet file, sorted by security and time, and can be asked as it is:",
    ),
    code("pack"),
    text(
      "A share also has `<day>/by-symbol/<code>.<SH|SZ>.parquet`: one security out of the pack, as a plain file, without the rest. See [shares](/docs/en/shares).",
    ),
    heading("estimate", "Ask before you take"),
    text(
      "`order_history_estimate` counts nothing and tells rows, pages, bytes of the file, and what is left today:",
    ),
    code("estimate"),
    heading("sync", "Many securities, many days"),
    text(
      "The Python client's `sync` keeps one Parquet file per security and day: it skips what is there, fetches again what was revised, stops cleanly when the quota is used, and goes on when run the next day:",
    ),
    code("sync"),
    text(
      "`client.history(symbols, start_date, end_date, folder)` keeps a folder by day: from a share where the plan has one, which uses no quota, else as `sync` does. `read_history(folder)` reads it into one frame.",
    ),
    note(
      "**Years of many securities: take shares.** Five years of 5,000 securities are 6 million Parquet files, which at the flagship plan's 300 a day take 55 years; the same days as packs are 1,200 files of 1.3 TB in all, two days on a line of 60 Mbit/s, and no quota counts them.",
    ),
    note(
      "On the trial plan JSON and Parquet share 100 requests a day: one file is cheaper than a dozen pages.",
    ),
  ],
};
