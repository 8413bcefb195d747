/** Paging explained (contract 5). */
import { code, heading, list, note, type PageText, text } from "../block.ts";

export const zh: PageText = {
  title: "翻页",
  lead: "把 next_cursor 原样传回，直到 has_more 为 false：不丢行，不重行。",
  blocks: [
    code("paging"),
    list(
      "第一页不带 `cursor`；之后原样传回 `next_cursor`。最后一页 `has_more` 为 `false`，`next_cursor` 为 `null`；`has_more` 是准确的，行数恰为整页时也不会多出一个空页。",
      "游标按“时间 + 该毫秒已读行数”前进，不依赖委托号。游标固定了第一页的日期：之后可以不写 `tradedate`，写就必须一致。",
      "证券、日期、时间窗必须不变（写法可以不同：`09:30` 与 `093000000` 相同）；`page_size` 和 `fields` 可以逐页改变。",
      "每页都只读一小段，第一页和最后一页一样快；不需要并行。",
    ),
    heading("one-at-a-time", "一次一个请求"),
    text(
      "同一账户在此接口同时只能有一个请求（JSON 与 Parquet 合用一个名额），第二个立刻得到 503 `slot_busy`，不排队、不扣次数，`Retry-After` 为 1 秒。读完一页的全部字节时，名额已经空出：顺序翻页不会遇到 503。",
    ),
    heading("restart", "何时要从头开始"),
    list(
      "`data_rebuilt`：当天数据在翻页途中被重建。丢掉已读的行，从第一页开始（客户端会自动重来一次并告知）。",
      "`cursor_old_format`、`cursor_invalid`：旧格式，或来自另一条线路。游标只在签发它的线路上有效。",
      "`cursor_mismatch`：证券、日期或时间窗变了，或游标是另一个接口的（委托的游标不能用于成交、快照）。",
    ),
    heading("switch", "换线路续读"),
    text(
      "另一条线路不认识这条线路的游标。官方客户端换线后用“最后一行的时间 + 该毫秒已读行数”续读，并比对重叠的行。自己实现时：以最后一行的 `time` 为 `start_time` 重查，跳过该毫秒已读的行数；不带日期的旧式游标 `v2.<HHMMSSmmm>-<行数>` 加上 `tradedate` 也可直接用。",
    ),
    note("没有行的时间窗是 code 200 加空 `items`；只有缺少那一天或那只证券才是 1002。"),
  ],
};

export const en: PageText = {
  title: "Paging",
  lead: "Pass next_cursor back unchanged until has_more is false: no row is skipped or repeated.",
  blocks: [
    code("paging"),
    list(
      "The first page has no `cursor`; afterwards pass `next_cursor` as it came. On the last page `has_more` is `false` and `next_cursor` is `null`; `has_more` is exact, also when the rows fill the last page, so no empty page follows.",
      "A cursor continues by time and by the rows of that millisecond already read, never by order numbers. It fixes the first page's date: later pages may leave out `tradedate`; if given, it must be the same.",
      "Security, date and window must not change (spelling may: `09:30` is `093000000`); `page_size` and `fields` may, from page to page.",
      "Every page reads one small range, the last one as fast as the first. Parallel requests gain nothing.",
    ),
    heading("one-at-a-time", "One request at a time"),
    text(
      "One request per account is in progress on this interface, JSON and Parquet together; a concurrent request returns 503 `slot_busy` immediately, is not queued and not counted; `Retry-After` is 1 second. The slot is free once you have read a page's last byte: sequential requests never get a 503.",
    ),
    heading("restart", "When to start again"),
    list(
      "`data_rebuilt`: the day was rebuilt while you paged. Discard the rows and start again from the first page (the clients do this once and report it).",
      "`cursor_old_format`, `cursor_invalid`: an old format, or a cursor of another deployment. A cursor works only on the deployment that issued it.",
      "`cursor_mismatch`: the security, date or window changed, or the cursor is of another interface (orders, trades, quotes).",
    ),
    heading("switch", "Continuing on another deployment"),
    text(
      "Another deployment does not accept the cursors of this one. The clients continue there by the last row's time and the rows of that millisecond already read, and compare the rows that come twice. On your own: ask again with the last row's `time` as `start_time` and skip the rows of that millisecond you have; a cursor without a date, `v2.<HHMMSSmmm>-<rows>`, together with `tradedate` also works.",
    ),
    note("A window without rows is code 200 with no items; only a missing day or security is 1002."),
  ],
};
