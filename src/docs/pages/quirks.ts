/** Unexpected properties of the exchanges' data. */
import { heading, list, note, type PageText, text } from "../block.ts";

export const zh: PageText = {
  title: "数据里的坑",
  lead: "交易所数据本来如此，本服务原样给出；用之前请读一遍。",
  blocks: [
    heading("shanghai", "上海：委托出现时已是成交后的剩余"),
    text(
      "连续竞价中，一笔委托进场若立刻成交一部分，上海的委托记录里只有**剩下的数量**；若立刻全部成交，则**根本没有委托记录**，只在逐笔成交里出现。因此用上海委托直接累加得到的“委托总量”偏小，还原订单簿要与逐笔成交合并（按 `exchange_order_id` 补回已成交部分）。",
    ),
    heading("cancels", "撤单"),
    list(
      "上海：`order_type` 为 `D`，`volume` 是撤单时的**剩余数量**，不是原委托数量；`exchange_order_id` 与原委托相同。",
      "深圳：**撤单不在委托里，在逐笔成交里**。只有委托数据时看不到深圳的撤单。",
    ),
    heading("ids", "委托号为 0、会重复"),
    text(
      "`order_id` 可以为 0，也不保证唯一；阶段标记的 `exchange_order_id` 为 0。不要用它们当主键：用“证券 + 日期 + 行在当天的次序”。",
    ),
    heading("time", "时间是 10 毫秒一档，会成堆"),
    text(
      "真实数据里时间以 10 毫秒为一档：同一时间戳下可能有成百上千行，开盘集合竞价尤甚。不要只用时间续读，会丢行或重行；请用[游标](/docs/zh/paging)，或“时间 + 该毫秒已读行数”。",
    ),
    heading("auctions", "快照：集合竞价期间没有十档"),
    text(
      "集合竞价期间的快照只有两档：第一档两边都是撮合价与匹配量，第二档价格为 0、数量为未匹配量（只在一边）。把它当成普通盘口会得到价差 0 和错误的挂单量；请按时间分开处理。",
    ),
    heading("snapshots", "快照：累计值、同一时刻的多行"),
    list(
      "`volume`、`amount` 是**当日累计**，不是这三秒的；两行相减才是区间量。",
      "相邻两行可以有同一 `time` 而内容不同（实测约千分之三）：都保留，按源文件次序，不要按时间去重。",
      "上海含开盘成交的首个快照 `open` 仍为 0，下一行才有；取开盘价请跳过 0。",
      "停牌的证券只有快照，没有委托和成交；指数只在快照里，没有十档。",
    ),
    heading("history", "上海委托从何时开始"),
    text("上海的逐笔委托从 **2022 年**起才有；更早的日子只有深圳的委托。"),
    heading("flags", "阶段标记不是委托"),
    text(
      "上海 `order_type` 为 `S` 的行表示交易阶段，`order_code` 是阶段代码，不是买卖方向。各数据源写法不同，例如开盘集合竞价写作 `OCALL` 或 `O`，本服务原样给出。这些行的价格与数量为 0，统计前先筛掉。",
    ),
    heading("zero-price", "价格为 0"),
    text("深圳的市价（`1`）和本方最优（`U`）委托没有自己的价格，`price` 可为 0，`amount` 也就为 0。"),
    note(
      "这些说明来自交易所公开的接口规范和公开样例的核对；见[从未用真实数据验证过的部分](/docs/zh/integrity#never-seen)。",
    ),
  ],
};

export const en: PageText = {
  title: "Data quirks",
  lead: "The exchanges' data is like this and is passed on as it is: read once before you count.",
  blocks: [
    heading("shanghai", "Shanghai: an order appears with what is left after immediate fills"),
    text(
      "In continuous trading, an order that is partly filled as it arrives is recorded in Shanghai with **what is left of it**; one that is filled at once **does not appear at all**, only in the trades. Summing Shanghai's orders therefore gives too little, and rebuilding a book takes the trades as well (add what was filled by `exchange_order_id`).",
    ),
    heading("cancels", "Cancels"),
    list(
      "Shanghai: `order_type` is `D`, and `volume` is the **remainder** that is withdrawn, not the quantity once ordered; `exchange_order_id` is that of the order.",
      "Shenzhen: **cancels are in the trades, not among the orders**. Orders alone do not show them.",
    ),
    heading("ids", "Order numbers of 0, and repeated ones"),
    text(
      "`order_id` may be 0 and is not unique; `exchange_order_id` is 0 on phase flags. Make no key of them: use security, date, and the row's place in the day.",
    ),
    heading("time", "Time goes in steps of 10 ms, in crowds"),
    text(
      "In the real data time goes in steps of 10 milliseconds, and hundreds or thousands of rows may share one stamp, most of all at the opening auction. To continue by time alone loses rows or doubles them: use the [cursor](/docs/en/paging), or a time and the rows of it already read.",
    ),
    heading("auctions", "Quotes: no ten levels during call auctions"),
    text(
      "A snapshot of a call auction has two levels only: level 1 holds, on both sides, the price at which orders match and the matched quantity; level 2 has the price 0 and, on one side, the unmatched quantity. Read as a normal book it gives a spread of 0 and wrong quantities: treat it apart, by time.",
    ),
    heading("snapshots", "Quotes: running totals, several rows at one time"),
    list(
      "`volume` and `amount` are those of **the day so far**, not of the last three seconds: subtract the row before.",
      "Two rows in succession may have the same `time` and differ (about 3 in 1,000, measured). Both stay, in the source's order: do not drop repeated times.",
      "Shanghai's first snapshot with the opening trade still has `open` 0; the next one has it. For the opening price skip the zeros.",
      "A halted security has quotes and neither orders nor trades; indexes are in quotes only and have no levels.",
    ),
    heading("history", "Since when Shanghai has orders"),
    text("Tick-by-tick orders of Shanghai exist from **2022** on; earlier days hold Shenzhen's only."),
    heading("flags", "Phase flags are no orders"),
    text(
      "Shanghai rows with `order_type` `S` mark the phase of trading. Their `order_code` is the phase, not a direction; sources name the phases differently, and the service passes the names on: the opening call is `OCALL` or `O`, for example. Price and volume are 0. Filter these rows before you count.",
    ),
    heading("zero-price", "Prices of 0"),
    text(
      "Shenzhen's market orders (`1`) and best-own-side orders (`U`) have no price of their own: `price` may be 0, and so is `amount`.",
    ),
    note(
      "This follows the exchanges' public interface descriptions and public samples; see [what was never seen with real data](/docs/en/integrity#never-seen).",
    ),
  ],
};
