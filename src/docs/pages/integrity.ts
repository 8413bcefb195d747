/** Integrity, revisions, and properties that are not verified yet. */
import { code, heading, list, note, type PageText, text } from "../block.ts";

export const zh: PageText = {
  title: "完整性与修订",
  lead: "哪些被核对过，修订后怎么办，以及哪些从未见过真实数据。",
  blocks: [
    heading("checks", "每次读取都核对"),
    list(
      "每个数据块都有 CRC-32。JSON 在行发出之前核对；Parquet 边传边核对，最后几个字节押后：不对就断开连接，短文件不会看起来完整。",
      "损坏的日子答 503 `day_damaged`，不会给出可疑的行。",
      "入库时发现的坏行不进数据，进报告；这样的日子，以及某数据集缺少某交易所大部分证券的日子，在 `data_status` 里是 `degraded`。",
      "价格是源值 ÷ 10000；金额用整数精确相乘后只舍入一次，JSON 与 Parquet 是同一个双精度数，按能读回的最短小数书写。",
      "大于 2^53 的委托号视为坏行；源数据表示“无”的 18446744073709551615 存为 0 并计数。",
    ),
    heading("revisions", "修订"),
    text(
      "一天重新发布就是新的修订号（答复的 `X-Revision`）。翻页途中修订了，旧游标得到 422 `data_rebuilt`，绝不会把两版混在一起。修订号只用来比较是否相同：运营方把目录退回到较早状态后，它可能变小。两个地址（或两个部署）的内容是否相同，看构建编号 `X-Build`：编号相同，内容才相同；修订号相同并不说明这一点。`data_changes` 按发生次序列出发布、恢复、撤回和损坏，并说明哪些证券变了，变更生效 15 秒后列出；把 `next_after` 存下来，下次作为 `after` 传回，不漏不重：",
    ),
    code("changes"),
    heading("files", "下载的文件"),
    text(
      "分享里的文件都有 SHA-256（`manifest.json`、`SHA256SUMS`、`Repr-Digest` 头）。文件被替换后 7 天内，已经开始下载旧版的人仍能下完旧版。",
    ),
    heading("never-seen", "从未用真实数据验证过的部分"),
    list(
      "文档与 `npm start` 里的示例数据是**编造的**，只有形状像真的。",
      "开发时核对过的真实数据只有一份公开样例（一天的逐笔委托）。没有见过真实数据的有：全市场规模的整日、2022 年以前的上海与深圳、科创板与债券的特殊情形、供应商后来改过的格式。",
      "运营方放入的 `auction_tick` 文件的列、`level2` 包内的布局、供应商自有格式的其他版本，都没有用真实交付验证过。",
      "`order_type`、`order_code` 除本文所列之外的取值只会原样传出，含义未经核实。",
      "没有在生产线路上量过延迟与吞吐；页面里的大小是用样例算出的。",
    ),
    note("发现与交易所或供应商原始数据不符，请把请求编号和原始行发给客服。"),
  ],
};

export const en: PageText = {
  title: "Integrity and revisions",
  lead: "What is checked, what a revision means for you, and what was never seen with real data.",
  blocks: [
    heading("checks", "Checked at every read"),
    list(
      "Every block of data has a CRC-32. With JSON it is checked before a row goes out; with Parquet as it passes, the last bytes held back: a mismatch breaks the connection, and a short file never looks whole.",
      "A damaged day is answered with 503 `day_damaged`, never with doubtful rows.",
      "Broken rows found while loading are left out and reported; such a day is `degraded` in `data_status`, and so is a dataset that lacks most securities of an exchange.",
      "Prices are the source's ÷ 10000; amounts are multiplied as exact integers and rounded once. JSON and Parquet carry the same double, written as the shortest decimal that reads back.",
      "An order number above 2^53 is a broken row; the source's 18446744073709551615, which means none, is stored as 0 and counted.",
    ),
    heading("revisions", "Revisions"),
    text(
      "A day that is published again has a new revision (`X-Revision`). When that happens while you page, the old cursor gets 422 `data_rebuilt`: two builds are never mixed. Compare revisions for equality only: they can go down after an operator restores the catalog to an earlier state. To compare contents between base URLs or deployments, compare the build id in `X-Build`: it is equal only for equal contents, while equal revision numbers prove nothing. `data_changes` lists publications, restorations, withdrawals and damage in their order, and which securities differ, 15 s after a change took effect; keep `next_after` and pass it as `after` next time, and no change is skipped or repeated:",
    ),
    code("changes"),
    heading("files", "Downloaded files"),
    text(
      "Every file of a share has a SHA-256 (`manifest.json`, `SHA256SUMS`, the `Repr-Digest` header). For 7 days after a file was replaced, a download of the old one can be finished.",
    ),
    heading("never-seen", "Never seen with real data"),
    list(
      "The samples in this documentation and of `npm start` are **invented**; only their shape is like the real thing.",
      "The real data that development was checked against is one public sample (a day of orders). Never seen: a whole market's day, Shanghai and Shenzhen before 2022, the special cases of the STAR market and of bonds, formats that vendors changed since.",
      "The columns of `auction_tick` files that an operator adds, the layout inside `level2` packs, and other versions of vendors' own formats were not checked against a real delivery.",
      "Values of `order_type` and `order_code` beyond those listed here are passed on; what they mean was not verified.",
      "Latency and throughput were not measured on production lines; the sizes on these pages were computed from samples.",
    ),
    note(
      "If something differs from the exchange's or the vendor's original, send support the request id and the original row.",
    ),
  ],
};
