/** The auction pack: which snapshots are its rows, and what each column means (contract 8.10). */
import { AUCTION_COLUMNS } from "../../auction/columns.ts";
import {
  type Block,
  code,
  type DocsLanguage,
  heading,
  list,
  note,
  type PageText,
  table,
  text,
} from "../block.ts";

const TYPES = {
  STRING: { zh: "字符串", en: "string" },
  BOOLEAN: { zh: "布尔", en: "boolean" },
  INT64: { zh: "整数", en: "integer" },
  DOUBLE: { zh: "数", en: "number" },
} as const;

/** Returns the table of the columns from their description. */
function columnTable(language: DocsLanguage, head: readonly string[]): Block {
  const rows = AUCTION_COLUMNS.map(({ name, type, nullable, unit, description }) => {
    const separator = language === "zh" ? "，" : ", ";
    const parts = [TYPES[type][language], unit?.[language], nullable ? "null" : undefined];
    return [`\`${name}\``, parts.filter((part) => part !== undefined).join(separator), description[language]];
  });
  return table(head, rows);
}

export const zh: PageText = {
  title: "集合竞价",
  lead: "每个交易日一个文件：全部证券开盘集合竞价的虚拟匹配过程与结果，由当日的盘口快照生成。",
  blocks: [
    text(
      "`auction_tick` 分享里的 `<YYYYMMDD>_aucde.parquet`，随当日的快照一同发布。按证券代码、交易所排列，每只证券内按快照的次序；ZSTD 压缩，DuckDB、pandas、polars 均可读。",
    ),
    code("auction_curve"),
    heading("rows", "行"),
    list(
      "**过程行**：09:15:00.000 至 09:25:09.999 之间，当日累计成交量为 0 的快照，且要么买一与卖一同价同量、其余各档无价（虚拟匹配），要么各档全空（没有匹配）。",
      "**结果行**（`is_result`）：09:25:00.000 起、09:30 之前第一个不是过程行的快照，每只证券最多一行，也是最后一行。没有开盘成交时 `m_price`、`auc_volume` 为 0。",
      "过程行与结果行按形态区分，不按 09:25 切分：二者可能落在同一秒。最后一个过程行常与结果不同，这是正常的。",
      "收盘集合竞价与之后的快照不在文件里；09:15 至 09:30 没有快照的证券没有行。",
    ),
    heading("columns", "列"),
    columnTable("zh", ["列", "类型与单位", "含义"]),
    text(
      "金额的币种为交易币种：上海 B 股美元，深圳 B 股港元。`auc_pct_chg` 是唯一可能为 null 的列，pandas 读作 NaN。",
    ),
    heading("checked", "与委托核对"),
    text(
      "发布前，每一行都与仅由委托推出的集合竞价比对：过程行须与其前 5 秒至后 1 秒之间的某一时刻的委托簿一致（价、量、未匹配量及方向），结果行须完全一致。不一致的行记入当天的质量检查表，值保持快照的原样，从不取平均。",
    ),
    note(
      "运营方也可以放入自己的文件，它会取代由快照生成的那一个，列以其来源为准；由快照生成的文件含上表的列，元数据 `edgetape.quotes` 记有所用快照包的 `build_id`。",
    ),
  ],
};

export const en: PageText = {
  title: "Auction data",
  lead: "One file for each trading day: the virtual matching and the result of every security's opening call auction, made from the day's quotes.",
  blocks: [
    text(
      "`<YYYYMMDD>_aucde.parquet` in an `auction_tick` share is published with the day's quotes. Rows are ordered by code and exchange, and within a security in the order of the quotes. The file is compressed with ZSTD; DuckDB, pandas and polars read it.",
    ),
    code("auction_curve"),
    heading("rows", "Rows"),
    list(
      "**Call rows**: snapshots from 09:15:00.000 to 09:25:09.999 whose volume of the day is 0 and which show either one price and one quantity at both bid 1 and ask 1 and no other price (the virtual match), or nothing at any level (no match).",
      "**The result row** (`is_result`): the first snapshot from 09:25:00.000 and before 09:30 that is not a call row. Each security has at most one, as its last row. Without an opening trade, `m_price` and `auc_volume` are 0.",
      "The pattern distinguishes the two kinds of rows, not the time 09:25: a call row and the result can be in the same second. The last call row often differs from the result, which is normal.",
      "The closing auction and later snapshots are not in the file. A security without a snapshot from 09:15 to 09:30 has no row.",
    ),
    heading("columns", "Columns"),
    columnTable("en", ["Column", "Type and unit", "Meaning"]),
    text(
      "Amounts are in the currency of trading: USD for Shanghai B shares, HKD for Shenzhen B shares. Only `auc_pct_chg` can be null, which pandas reads as NaN.",
    ),
    heading("checked", "Checked against the orders"),
    text(
      "Before the day goes live, every row is compared with the auction computed from the orders alone. A call row must agree with the order book at some instant from 5 seconds before to 1 second after the row (price, matched and unmatched quantity, side). The result row must agree exactly. Rows that differ are listed in the day's quality sheet; they keep the values of the quotes and are never averaged.",
    ),
    note(
      "An operator can add a different file, which replaces the one made from quotes and has the columns of its source. A file made from quotes has the columns above, and its metadata contains the `build_id` of the quote pack under `edgetape.quotes`.",
    ),
  ],
};
