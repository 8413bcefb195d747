/** The datasets of a day, how their rows join, and the checks of their quality. */
import { code, heading, list, note, type PageText, table, text } from "../block.ts";

export const zh: PageText = {
  title: "一天有哪些数据",
  lead: "三个数据集、集合竞价包和核对结论：各有什么，彼此怎样对应。",
  blocks: [
    heading("parts", "组成"),
    table(
      ["部分", "一行是什么", "怎样取"],
      [
        ["逐笔委托", "新委托；上海还有撤单和阶段标记", "`client.orders`，`level2_order_history`"],
        ["逐笔成交", "一笔成交；深圳还有撤单", "`client.trades`，`level2_trade_history`"],
        [
          "行情快照",
          "约每三秒一个快照：十档盘口、最新价、当日累计",
          "`client.quotes`，`level2_quote_history`",
        ],
        ["集合竞价包", "开盘集合竞价的每个快照和结果，全部证券一个文件", "分享 `auction_tick`"],
      ],
    ),
    text(
      "每个数据集各自发布、修订、撤回，`data_status` 按数据集给出状态。字段含义见[字段](/docs/zh/fields)；全市场的整日包在分享 `level2` 里。",
    ),
    heading("join", "怎样对应"),
    table(
      ["列", "属于", "对应"],
      [
        ["`buy_order_id`、`sell_order_id`", "成交", "买方、卖方委托的 `exchange_order_id`"],
        ["`exchange_order_id`（`D` 行）", "上海委托", "被撤委托的同名列"],
        ["`time`", "快照", "快照没有委托号：取某一时刻之前（含）的最后一个"],
      ],
    ),
    text(
      "委托号只在同一交易所、同一证券、同一天内有效。上海同一毫秒内的先后是：新委托、成交、撤单。一笔委托的全部成交，就是买方或卖方写着它的号的成交：",
    ),
    code("day_fills"),
    heading("shanghai", "上海委托少了什么"),
    text(
      "上海在委托进入订单簿时才公布它。到达时立刻成交的部分不进订单簿：部分成交的，委托里只有剩下的数量；全部成交的，没有委托记录。真实的一天（2023-07-11，五只证券）里，63,270 笔主动委托有 58,615 笔没有委托记录。成交里都有，按主动方的委托号汇总，就得到完整的大单：",
    ),
    code("day_aggressors"),
    text(
      "`bs_flag` 是上海的主动方：`B` 买方主动，`S` 卖方主动，`N` 集合竞价。深圳的委托按规则是完整的；没有买卖标志的数据源里，连续竞价中委托号较大的一方是主动方。",
    ),
    heading("shenzhen", "深圳的撤单在哪里"),
    list(
      "在成交里：`trade_code` 为 `C`，`price` 和 `amount` 为 0，`volume` 是撤掉的数量。",
      "两个委托号中恰有一个不为 0，就是被撤的委托。",
      '汇总成交量之前先去掉它们：`trades[trades["trade_code"] != "C"]`。',
    ),
    heading("quotes", "某一时刻的盘口"),
    text(
      "`bid1`、`ask1` 是最优价，`bid_vol1`、`ask_vol1` 是该价位的数量，直到第十档；`close` 是最新价，`volume`、`amount` 是当日累计。价格为 0 表示没有：一侧没有委托、还没有成交，或集合竞价的第二档。10:00 的盘口是 10:00 之前的最后一个快照：",
    ),
    code("day_quotes"),
    heading("auction", "集合竞价"),
    text(
      "集合竞价期间的快照里，第一档买卖价相同，是虚拟匹配价，数量是匹配量；第二档只有未匹配量。`<日期>_aucde.parquet` 把全部证券 09:15 至 09:25 的这些快照和开盘结果放进一个文件：`m_price` 匹配价，`auc_vol` 匹配量，`auc_amt` 金额，`um_vol` 与 `um_side` 未匹配量及其方向，数量单位为手；全部列见[集合竞价](/docs/zh/auction)。一只证券的走势：",
    ),
    code("day_auction"),
    heading("quality", "核对结论说明什么"),
    text(
      "一天发布之前，委托、成交与快照逐只证券互相核对：每笔成交的挂单都在、数量够、价格对，每笔撤单等于剩余，集合竞价算得出同样的结果，时间都在交易时段内，成交合计与快照相符。`data_status` 的 `quality` 给出结论和一句说明：",
    ),
    table(
      ["`verdict`", "含义"],
      [
        ["`passed`", "能证明的都相符"],
        ["`failed`", "有不符之处，`summary` 说明是哪些；运营方知情后仍发布"],
        ["`not_provable`", "无从证明，例如缺了委托或成交；不表示数据有错"],
        ["null", "没有核对过"],
      ],
    ),
    note("丢失的单行不一定看得出来：丢了一笔委托或成交，只有它参与了后来的成交、集合竞价或合计时才会显现。"),
  ],
};

export const en: PageText = {
  title: "What a day consists of",
  lead: "Three datasets, the auction pack and a verdict: what each of them holds, and how their rows join.",
  blocks: [
    heading("parts", "The parts"),
    table(
      ["Part", "A row is", "Where it is"],
      [
        [
          "Orders",
          "a new order; in Shanghai also a cancel or a phase",
          "`client.orders`, `level2_order_history`",
        ],
        ["Trades", "a fill; in Shenzhen also a cancel", "`client.trades`, `level2_trade_history`"],
        [
          "Quotes",
          "a snapshot about every three seconds: ten levels, the latest price, the day's sums so far",
          "`client.quotes`, `level2_quote_history`",
        ],
        [
          "Auction pack",
          "a snapshot of the opening call auction, or its result; all securities in one file",
          "the share `auction_tick`",
        ],
      ],
    ),
    text(
      "Each dataset of a day is published, revised and withdrawn by itself; `data_status` has the state of each. [Fields](/docs/en/fields) has the meaning of every column. The packs of whole days are in the share `level2`.",
    ),
    heading("join", "How the rows join"),
    table(
      ["Column", "Of", "Refers to"],
      [
        [
          "`buy_order_id`, `sell_order_id`",
          "trades",
          "`exchange_order_id` of the buyer's and of the seller's order",
        ],
        ["`exchange_order_id` of a row `D`", "orders of Shanghai", "the same column of the cancelled order"],
        ["`time`", "quotes", "no number: take the last snapshot at or before the moment"],
      ],
    ),
    text(
      "Order numbers hold within one exchange, security and day. In Shanghai the sequence within a millisecond is new orders, then trades, then cancels. The fills of an order are the trades that have its number on either side:",
    ),
    code("day_fills"),
    heading("shanghai", "What Shanghai's orders leave out"),
    text(
      "Shanghai publishes an order when it enters the book. What is filled on arrival never enters it: a partly filled order is recorded with the rest, and a filled one has no row. On a real day (2023-07-11, five securities) 58,615 of 63,270 aggressive orders have no row. The trades have all of them, and their sums by the aggressor's number are the whole orders:",
    ),
    code("day_aggressors"),
    text(
      "`bs_flag` is the aggressor's side in Shanghai: `B` or `S`, and `N` in its auctions. Shenzhen's orders are complete by the exchange's rules. Where a source has no flag, the larger order number is the aggressor's in continuous trading.",
    ),
    heading("shenzhen", "Where Shenzhen's cancels are"),
    list(
      "Among the trades: `trade_code` is `C`, `price` and `amount` are 0, and `volume` is the cancelled quantity.",
      "Exactly one of the two order numbers is not 0: that of the cancelled order.",
      'Leave them out before you sum volumes: `trades[trades["trade_code"] != "C"]`.',
    ),
    heading("quotes", "The book at a moment"),
    text(
      "`bid1` and `ask1` are the best prices, `bid_vol1` and `ask_vol1` the quantities there, and so on to level 10. `close` is the latest price; `volume` and `amount` are sums of the day so far. A price of 0 is none: a side without orders, no trade yet, or the second level of an auction. The book at 10:00 is the last snapshot before it:",
    ),
    code("day_quotes"),
    heading("auction", "The opening auction"),
    text(
      "In a snapshot of the call auction level 1 of both sides holds the matching price and the matched quantity, and level 2 has the unmatched quantity without a price. `<day>_aucde.parquet` holds these snapshots of all securities from 09:15 to 09:25 with the auction's result: `m_price` is the matching price, `auc_vol` the matched volume, `auc_amt` its amount, `um_vol` the unmatched volume and `um_side` its side, volumes in lots; [auction data](/docs/en/auction) has every column. The curve of one security:",
    ),
    code("day_auction"),
    heading("quality", "What the quality verdict means"),
    text(
      "Before a day is published, its orders, trades and quotes are checked against each other, security by security. Every fill finds its resting order with price and quantity, every cancel equals the remainder, the auctions give the same result, all times are within trading hours, and the sums of the trades are those of the snapshots. `quality` in `data_status` has the verdict, with a sentence:",
    ),
    table(
      ["`verdict`", "Meaning"],
      [
        ["`passed`", "What could be proved holds"],
        ["`failed`", "Something does not, see `summary`; the operator published the day knowing it"],
        ["`not_provable`", "Nothing could be proved, for example without trades; not a sign of an error"],
        ["null", "Not checked"],
      ],
    ),
    note(
      "A single lost row may stay unseen: a lost order or trade shows only when later fills, an auction or a sum depend on it.",
    ),
  ],
};
