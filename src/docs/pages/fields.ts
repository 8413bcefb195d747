/** Every field with unit and meaning (contract 4.1). */
import { heading, note, type PageText, table, text } from "../block.ts";

export const zh: PageText = {
  title: "字段",
  lead: "十个标准字段，JSON 与 Parquet 名称、类型、数值完全一致。",
  blocks: [
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
    heading("order", "行的顺序"),
    text(
      "先按 `time`，同一毫秒内按源文件的顺序。同一修订版内这个顺序不会变，所以“时间 + 该毫秒已读行数”就是一个可靠的位置。",
    ),
    heading("parquet", "Parquet 的类型"),
    text(
      "ZSTD 压缩，全部列 REQUIRED：字符串列 STRING，两个委托号与 `volume` 为 INT64，`price` 与 `amount` 为 DOUBLE。DuckDB、pyarrow、polars、hyparquet 均可读。",
    ),
    note("`.BJ`（北交所）不收录：请求会被识别，答复是 1002。"),
  ],
};

export const en: PageText = {
  title: "Fields",
  lead: "Ten standard fields; JSON and Parquet agree in names, types and every value.",
  blocks: [
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
          "The exchange's order number, another thing than `order_id`. Use it with exchange, security and date: it is not unique by itself; 0 on phase flags",
        ],
        ["`order_type`", "string", "Kind of record, see below; numeric codes are strings too"],
        [
          "`order_code`",
          "string",
          "The source's code: buy or sell (`B`, `S`), or a trading phase. Not a direction in every row",
        ],
        [
          "`price`",
          "number, yuan",
          "Order price (the source's ÷ 10000). May be 0 for market orders and phase flags",
        ],
        [
          "`volume`",
          "integer, shares or units",
          "Quantity; of a cancel, what was left and is withdrawn; may be 0 on phase flags",
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
        ["Shanghai", "`S`", "Phase flag: no order at all"],
        ["Shenzhen", "`0`", "Limit order"],
        ["Shenzhen", "`1`", "Market order"],
        ["Shenzhen", "`U`", "Best price of its own side"],
      ],
    ),
    text("Not every type occurs every day; letters that are new in the source are passed on as they are."),
    heading("legacy", "Legacy names"),
    text(
      "`order_no` is `exchange_order_id`, `side` is `order_code`. They are returned only when written in `fields`, under the name that was written, and may stand beside the new names.",
    ),
    heading("order", "Order of rows"),
    text(
      'By `time`, and inside a millisecond as the source has them. Within a revision that never changes, so "a time, and rows of that millisecond already read" is a reliable place.',
    ),
    heading("parquet", "Types in Parquet"),
    text(
      "ZSTD, all columns REQUIRED: texts are STRING, both order numbers and `volume` INT64, `price` and `amount` DOUBLE. DuckDB, pyarrow, polars and hyparquet read it.",
    ),
    note("The Beijing exchange (`.BJ`) is not carried: it is understood and answered with 1002."),
  ],
};
