/** Shares of daily files (contract 8). */
import { code, heading, list, note, type PageText, text } from "../block.ts";

export const zh: PageText = {
  title: "文件分享",
  lead: "每年一个分享：按日期排好的每日文件，浏览器、rclone、wget、客户端都能取。",
  blocks: [
    code("share"),
    text(
      "`file_download` 返回分享的地址、密码（在答复的 [`data.data`](/docs/zh/answers#share) 里）、覆盖的首末日期、文件数与字节数、到期时间。密码不在地址里。同一账户、类型、年份只有一个分享，再问一次得到同一个地址；剩余不足 24 小时时会换新的，旧的用到它自己的期限。",
    ),
    list(
      "`auction_tick`：[集合竞价](/docs/zh/auction)，2022 年起，文件名 `<YYYYMMDD>_aucde.parquet`，ZSTD。",
      "`level2`：全天逐笔，2017 年起；每天含逐笔委托、逐笔成交、行情快照三个整日包。",
      "覆盖范围是**已发布**的文件与套餐窗口的交集，随日期移动；正在回补或待核实的不提供。",
      "`status` 为 `preparing` 时地址为空，`retry_after` 秒后再问。",
    ),
    heading("folder", "目录"),
    list(
      "`<YYYYMMDD>/<文件>`：按日期。",
      "`manifest.json`：全部文件的路径、日期、字节数、SHA-256、修订号，整日数据包还有 `build_id`（同 `X-Build`），做过质量检查的还有 `quality`；`SHA256SUMS`：可直接 `sha256sum --check`。",
      "`<YYYYMMDD>/by-symbol/<代码>.<SH|SZ>.parquet`（委托）、`<代码>.<SH|SZ>_trades.parquet`（成交）、`<代码>.<SH|SZ>_quotes.parquet`（快照）：整日包里的一只证券，本身就是完整的 Parquet 文件。例如贵州茅台：`600519.SH.parquet`、`600519.SH_trades.parquet`、`600519.SH_quotes.parquet`。`<YYYYMMDD>/by-symbol/` 打开即是这些文件的列表，但没有别的页面链接到它，免得同步时取两遍。",
    ),
    text("用 curl 取一只证券：`ID` 是分享编号，即地址的最后一段。"),
    code("curl_share"),
    heading("quality", "质量"),
    text(
      '发布前，当日委托、成交、快照相互核对。`manifest.json` 里整日数据包的 `quality` 是核对的结果：`verdict` 为 `passed`、`failed`（运营方确认后仍发布）或 `not_provable`（没有检查未通过，但无法相互核对）；`summary` 为 `passed`、`not provable`，或 `failed` 并列出最先的几处；`checks` 按检查名列出通过、未通过、无法证实的证券数：`{"matching": {"passed": 4981, "failed": 0, "not_provable": 312}, …}`。没有 `quality` 的包未做检查。',
    ),
    heading("tools", "工具"),
    text(
      "用户名是分享编号，密码是返回的 `password`（Basic 认证）。支持断点续传（Range、If-Range）、ETag 和只读 WebDAV；分享页给出 wget、aria2c、rclone、DuckDB、pandas 的现成命令。TypeScript：",
    ),
    code("typescript_share"),
    text(
      "`download` 断线后从断点继续；给出 `have`（磁盘上已有的前半部分）可跨进程续传，末尾核对 SHA-256，不符就抛出 `IntegrityError`。",
    ),
    note(
      "一个分享同时最多 48 个下载连接，超过为 503 `downloads_busy`：按 `Retry-After` 等，并减少并行数。长时间不读取（10 分钟内不足 8 MiB）的连接会被断开，可断点续传。",
    ),
    note(
      "密码输错 10 次（15 分钟内、同一来源）后该来源暂停；套餐到期或分享被收回后 30 秒内失效。其他网站的脚本可以凭密码读取分享（CORS 允许任何来源，但从不带 Cookie）。",
    ),
  ],
};

export const en: PageText = {
  title: "Shares of files",
  lead: "One share a year: daily files by date, for browsers, rclone, wget and the clients.",
  blocks: [
    code("share"),
    text(
      "`file_download` gives the share's address and password (in [`data.data`](/docs/en/answers#share) of the answer), its first and last day, files and bytes, and when it ends. The password is not in the address. An account has one share per type and year: ask again and the address is the same; with less than 24 hours left a new one is made, and the old one works to its own end.",
    ),
    list(
      "`auction_tick`: the [opening auction](/docs/en/auction), from 2022, `<YYYYMMDD>_aucde.parquet`, ZSTD.",
      "`level2`: the full tick-by-tick day, from 2017: a day pack of orders, one of trades and one of quotes.",
      "It covers the files that are **published** and inside the plan's window, which moves with the date; files still being filled in or checked are not offered.",
      "While `status` is `preparing` the address is empty: ask again after `retry_after` seconds.",
    ),
    heading("folder", "The folder"),
    list(
      "`<YYYYMMDD>/<file>`: by date.",
      "`manifest.json`: path, date, bytes, SHA-256 and revision of every file, `build_id` (as in `X-Build`) of day packs, and `quality` where a check ran; `SHA256SUMS`: for `sha256sum --check`.",
      "`<YYYYMMDD>/by-symbol/<code>.<SH|SZ>.parquet` (orders), `<code>.<SH|SZ>_trades.parquet` and `<code>.<SH|SZ>_quotes.parquet`: one security out of a pack, a complete Parquet file. Of Kweichow Moutai: `600519.SH.parquet`, `600519.SH_trades.parquet` and `600519.SH_quotes.parquet`. `<YYYYMMDD>/by-symbol/` lists these files, but nothing links to it, so that a sync does not fetch everything twice.",
    ),
    text("One security with curl; `ID` is the share's id, the last part of its address:"),
    code("curl_share"),
    heading("quality", "Quality"),
    text(
      'Before a day is published, its orders, trades and quotes are checked against each other. `quality` of a day pack in `manifest.json` is what the check said: `verdict` is `passed`, `failed` (the operator published it all the same) or `not_provable` (nothing failed, but there was nothing to match); `summary` is `passed`, `not provable`, or `failed` with the first faults; `checks` has, by the check\'s name, the number of securities that passed, failed and could not be proved: `{"matching": {"passed": 4981, "failed": 0, "not_provable": 312}, …}`. A pack without `quality` was not checked.',
    ),
    heading("tools", "Tools"),
    text(
      "The user is the share's id, the password the answer's `password` (Basic). Ranges, If-Range, ETags and read-only WebDAV are there; the share's page has commands for wget, aria2c, rclone, DuckDB and pandas. TypeScript:",
    ),
    code("typescript_share"),
    text(
      "`download` continues where the line broke; with `have` (the first part, already on disk) also in another process. The SHA-256 is checked at the end, and `IntegrityError` thrown when it differs.",
    ),
    note(
      "A share serves at most 48 downloads at once; beyond it 503 `downloads_busy`: wait as `Retry-After` says, and use fewer connections. A connection that takes less than 8 MiB in 10 minutes is ended, and continues with a range.",
    ),
    note(
      "Ten wrong passwords from one place within 15 minutes block that place for a while; an ended plan or a revocation takes effect within 30 seconds. Scripts of other sites may read a share with its password (any origin by CORS, never with the cookie).",
    ),
  ],
};
