/** Every field with unit and meaning (contract 4.1, 4.5, 4.6). */
import type { Column, Dataset } from "../../datasets/dataset.ts";
import { quotes } from "../../datasets/quotes.ts";
import { trades } from "../../datasets/trades.ts";
import { type Block, type DocsLanguage, heading, note, type PageText, table, text } from "../block.ts";

/** The types of values in answers. */
const TYPES: Record<Column["kind"], Record<DocsLanguage, string>> = {
  symbol: { zh: "字符串，6 位", en: "string of 6 digits" },
  tradedate: { zh: "字符串 `YYYYMMDD`", en: "string `YYYYMMDD`" },
  time: { zh: "字符串 `HHMMSSmmm`，9 位", en: "string `HHMMSSmmm`, 9 digits" },
  code: { zh: "字符串", en: "string" },
  integer: { zh: "整数", en: "integer" },
  price: { zh: "数", en: "number" },
  yuan: { zh: "数", en: "number" },
  amount: { zh: "数", en: "number" },
};

/** Fields of the order book's levels after the first, which are described with the first level. */
const FURTHER_LEVEL = /^(?:bid|ask)(?:_vol)?(?:[2-9]|10)$/;

/** Returns the table of a dataset's fields from its description; the ten levels of a field of the book share one row. */
function fieldTable({ columns }: Dataset, language: DocsLanguage): Block {
  const head = { zh: ["字段", "类型与单位", "含义"], en: ["Field", "Type and unit", "Meaning"] }[language];
  const rows = columns
    .filter(({ name }) => !FURTHER_LEVEL.test(name))
    .map((column) => {
      const { name, kind, unit, description, onRequest } = column;
      const type = TYPES[kind][language];
      const separator = language === "zh" ? "，" : ", ";
      const only = { zh: "只在 `fields` 里写出时返回。", en: "Only when `fields` names it. " }[language];
      const levels = columns.some((each) => each.name === `${name}0`) ? ` … \`${name}0\`` : "";
      return [
        `\`${name}\`${levels}`,
        unit === null ? type : `${type}${separator}${unit[language]}`,
        `${onRequest ? only : ""}${description[language]}`,
      ];
    });
  return table(head, rows);
}

export const zh: PageText = {
  title: "字段",
  lead: "委托十个、成交十一个、快照五十个标准字段，JSON 与 Parquet 名称、类型、数值完全一致。",
  blocks: [
    heading("orders", "委托：level2_order_history"),
    table(
      ["字段", "类型与单位", "含义"],
      [
        ["`symbol`", "字符串，6 位", "证券代码，不含交易所"],
        ["`tradedate`", "字符串 `YYYYMMDD`", "交易日，北京时间"],
        ["`time`", "字符串 `HHMMSSmmm`，9 位", "记录时间，毫秒，北京时间"],
        ["`order_id`", "整数", "源数据的原始委托号。可为 0，可重复，从不用 `exchange_order_id` 填补"],
        [
          "`exchange_order_id`",
          "整数",
          "交易所委托编号，与 `order_id` 不是一回事。须与交易所、证券、日期合用，不是全局唯一；阶段标记可为 0",
        ],
        ["`order_type`", "字符串", "委托类型，见下表；数字代码也以字符串返回"],
        [
          "`order_code`",
          "字符串",
          "源数据的委托代码：可能是买卖方向（`B`、`S`），也可能是交易阶段，不能一律当作方向",
        ],
        ["`price`", "数，元", "委托价（源值 ÷ 10000）。市价类委托与阶段标记可为 0"],
        ["`volume`", "整数，股/份/张", "委托数量；撤单为撤掉的剩余数量；阶段标记可为 0"],
        ["`amount`", "数，元", "`price` × `volume`，由本服务计算，取最接近的双精度数；源数据没有这一列"],
      ],
    ),
    heading("order-type", "order_type"),
    table(
      ["市场", "值", "含义"],
      [
        ["上海", "`A`", "新增委托"],
        ["上海", "`D`", "撤单"],
        ["上海", "`S`", "产品阶段标记，不是委托"],
        ["深圳", "`0`", "限价"],
        ["深圳", "`1`", "市价"],
        ["深圳", "`U`", "本方最优"],
      ],
    ),
    text("不是每一天都会出现所有类型；源数据里将来出现的新字母原样给出。"),
    heading("legacy", "旧名"),
    text(
      "`order_no` 即 `exchange_order_id`，`side` 即 `order_code`。只有在 `fields` 里写出时才返回，并保留所写的名字；新旧名可以同时要。",
    ),
    heading("trades", "成交：level2_trade_history"),
    fieldTable(trades, "zh"),
    text(
      "深圳的撤单只在成交里（`trade_code` 为 `C`，`price` 与 `amount` 为 0），不在委托里。`buy_order_id`、`sell_order_id` 与同一天、同一证券委托的 `exchange_order_id` 对应。没有旧名；缺数为 0，缺代码为空字符串。金额的币种为交易币种：上海 B 股美元，深圳 B 股港元。",
    ),
    note(
      "手头的样本无法证实：数据商文件里深圳成交的买卖标志、盘后定价交易（15:05 至 15:30）的行、上海债券与回购的数量单位。源文件有的都原样给出。",
    ),
    heading("quotes", "快照：level2_quote_history"),
    text(
      "大约每三秒一行：从开盘集合竞价到收盘。标准字段依次为 `symbol` 至 `amount`，然后第一档的 `bid1`、`bid_vol1`、`ask1`、`ask_vol1`，第二档的四个，直到第十档。",
    ),
    fieldTable(quotes, "zh"),
    text(
      "`volume`、`amount` 是当日截至此刻的累计值。`total_volume`、`total_amount` 是它们的另一个名字，只在 `fields` 里写出时返回，并保留所写的名字。集合竞价期间没有十档：第一档两边都是撮合价与匹配量，第二档价格为 0、数量为未匹配量（只在一边）。价格为 0：尚无成交，或该档没有申报。同一 `time` 的多行都保留，按源文件次序。缺数为 0。",
    ),
    text(
      "源文件的成交标志、BS标志与指数的成分统计（不加权指数、品种总数、上涨、下跌、持平品种数）不提供。指数只在快照里，没有十档，价格单位是点；请带后缀查询（`000001.SH`），不带后缀的 `000001` 是深圳的股票。",
    ),
    note(
      "手头的样本无法证实：盘后定价交易（15:05 至 15:30）的快照、上海债券与回购的数量单位、指数的 `volume` 与 `amount`。源文件有的都原样给出。",
    ),
    heading("order", "行的顺序"),
    text(
      "先按 `time`，同一毫秒内按源文件的顺序。同一修订版内这个顺序不会变，所以“时间 + 该毫秒已读行数”就是一个可靠的位置。",
    ),
    heading("parquet", "Parquet 的类型"),
    text(
      "ZSTD 压缩，全部列 REQUIRED：字符串列 STRING，编号、笔数与各种数量为 INT64，价格与 `amount` 为 DOUBLE。DuckDB、pyarrow、polars、hyparquet 均可读。",
    ),
    note("`.BJ`（北交所）不收录：请求会被识别，答复是 1002。"),
  ],
};

export const en: PageText = {
  title: "Fields",
  lead: "Ten standard fields of orders, eleven of trades and fifty of quotes; JSON and Parquet agree in names, types and every value.",
  blocks: [
    heading("orders", "Orders: level2_order_history"),
    table(
      ["Field", "Type and unit", "Meaning"],
      [
        ["`symbol`", "string of 6 digits", "The security's code, without its exchange"],
        ["`tradedate`", "string `YYYYMMDD`", "Trading day in Beijing"],
        ["`time`", "string `HHMMSSmmm`, 9 digits", "Time of the record in Beijing, to the millisecond"],
        [
          "`order_id`",
          "integer",
          "The source's own order number. May be 0, may repeat, is never filled from `exchange_order_id`",
        ],
        [
          "`exchange_order_id`",
          "integer",
          "The exchange's order number, which is not the same as `order_id`. It is not unique by itself: use it together with exchange, security and date. It may be 0 for phase flags",
        ],
        ["`order_type`", "string", "Type of the order, see below; numeric codes are strings too"],
        [
          "`order_code`",
          "string",
          "The source's code: buy or sell (`B`, `S`), or a trading phase, so not every row has a side",
        ],
        [
          "`price`",
          "number, yuan",
          "Order price (the source's ÷ 10000). May be 0 for market orders and phase flags",
        ],
        [
          "`volume`",
          "integer, shares or units",
          "Quantity; for a cancel, the remaining quantity that it withdraws; may be 0 for phase flags",
        ],
        [
          "`amount`",
          "number, yuan",
          "`price` × `volume`, computed by the service to the nearest double; the source has no such column",
        ],
      ],
    ),
    heading("order-type", "order_type"),
    table(
      ["Exchange", "Value", "Meaning"],
      [
        ["Shanghai", "`A`", "New order"],
        ["Shanghai", "`D`", "Cancel"],
        ["Shanghai", "`S`", "Phase flag, not an order"],
        ["Shenzhen", "`0`", "Limit order"],
        ["Shenzhen", "`1`", "Market order"],
        ["Shenzhen", "`U`", "Best price of its own side"],
      ],
    ),
    text("Not every type occurs every day; letters that the source adds later are passed on unchanged."),
    heading("legacy", "Legacy names"),
    text(
      "`order_no` is `exchange_order_id`, and `side` is `order_code`. They are returned only when `fields` names them, under that name; old and new names may be requested together.",
    ),
    heading("trades", "Trades: level2_trade_history"),
    fieldTable(trades, "en"),
    text(
      "The cancels of Shenzhen are rows of trades (`trade_code` is `C`, `price` and `amount` are 0) and not of orders. `buy_order_id` and `sell_order_id` are the `exchange_order_id` of orders of the same day and security. There are no legacy names. A missing number is 0, and a missing code is an empty string. Amounts are in the currency of trading: USD for Shanghai B shares, HKD for Shenzhen B shares.",
    ),
    note(
      "Our samples cannot confirm the flag of Shenzhen trades in the vendor's files, rows of after-hours fixed-price trading (15:05 to 15:30), and the unit of quantities of Shanghai bonds and repos. What the source has is passed on unchanged.",
    ),
    heading("quotes", "Quotes: level2_quote_history"),
    text(
      "A row about every three seconds, from the opening auction to the close. The standard fields are `symbol` to `amount`, then `bid1`, `bid_vol1`, `ask1`, `ask_vol1` of the first level, the four of the second, and so on to the tenth.",
    ),
    fieldTable(quotes, "en"),
    text(
      "`volume` and `amount` are cumulative for the day. `total_volume` and `total_amount` are other names for them, returned only when `fields` names them, under that name. During a call auction there are no ten levels: on both sides, level 1 has the price at which orders match and the matched quantity; level 2 has the price 0 and, on one side, the unmatched quantity. A price of 0 means that there is no trade yet, or that the level is empty. All rows with the same `time` are kept, in the source's order. A missing number is 0.",
    ),
    text(
      "成交标志, BS标志 and the counts of an index's members (不加权指数, 品种总数, 上涨品种数, 下跌品种数, 持平品种数) of the source are not served. Indexes are in quotes only, have no levels, and their prices are in points. Request them with the suffix (`000001.SH`): `000001` without a suffix is a Shenzhen stock.",
    ),
    note(
      "Our samples cannot confirm snapshots of after-hours fixed-price trading (15:05 to 15:30), the unit of quantities of Shanghai bonds and repos, and `volume` and `amount` of an index. What the source has is passed on unchanged.",
    ),
    heading("order", "Order of rows"),
    text(
      "Rows are ordered by `time`, and within a millisecond in the order of the source. Within a revision this order never changes, so a time and the number of rows already read in that millisecond are a reliable position.",
    ),
    heading("parquet", "Types in Parquet"),
    text(
      "ZSTD, all columns REQUIRED: texts are STRING, numbers, counts and quantities INT64, prices and `amount` DOUBLE. DuckDB, pyarrow, polars and hyparquet read it.",
    ),
    note("Securities of the Beijing exchange (`.BJ`) are not included: requests for them get 1002."),
  ],
};
