/** The fields of each operation's form. The service itself validates their values. */
import { DATASET_NAMES, DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { PageLanguage } from "../pages/look.ts";

export interface FormField {
  name: string;
  hint: Readonly<Record<PageLanguage, string>>;
  /** The choices of a list; the first is preset. */
  choices?: readonly string[];
  /**
   * The preset value: `newest` is the newest served day, `security` a security of the chosen day, `year` the current
   * year.
   */
  preset?: string;
  /** Whether the field is a member of the body itself, not of `params`. */
  beside?: true;
  numeric?: true;
  wide?: true;
}

export interface OperationForm {
  apiname: string;
  title: Readonly<Record<PageLanguage, string>>;
  /** Whether a run counts against today's quota. */
  counts: boolean;
  /** The dataset whose days and securities are preset; orders when absent. */
  dataset?: DatasetName;
  fields: readonly FormField[];
}

const say = (zh: string, en: string) => ({ zh, en });

/** Returns a field. Its hint is `zh` and `en`. */
function field(name: string, zh: string, en: string, more: Partial<FormField> = {}): FormField {
  return { name, hint: say(zh, en), ...more };
}

const SYMBOL = field("symbol", "六位代码，可带 .SH 或 .SZ", "six digits, with or without .SH or .SZ", {
  preset: "security",
});
const TRADEDATE = field("tradedate", "YYYYMMDD", "YYYYMMDD", { preset: "newest" });
const WINDOW = [
  field("start_time", "含，例如 09:30", "inclusive, such as 09:30"),
  field("end_time", "不含，例如 10:00", "exclusive, such as 10:00"),
  field("page_size", "最大 10000", "10000 at most", { numeric: true }),
];
const DATASET = field("dataset", "哪个数据集", "which dataset", { choices: DATASET_NAMES });

const TITLES: Readonly<Record<DatasetName, Record<"history" | "estimate", OperationForm["title"]>>> = {
  orders: { history: say("逐笔委托", "Order history"), estimate: say("委托估算", "Order estimate") },
  trades: { history: say("逐笔成交", "Trade history"), estimate: say("成交估算", "Trade estimate") },
  quotes: { history: say("行情快照", "Quote history"), estimate: say("快照估算", "Quote estimate") },
};

/** The maximum number of column names in a hint. Quotes have fifty columns, most of them levels of the book. */
const MOST_LISTED = 14;

/** Returns the form of the rows of a dataset. */
export function historyForm(dataset: DatasetName): OperationForm {
  const { apiname, columns } = DATASETS[dataset];
  const names = columns.filter(({ onRequest }) => !onRequest).map(({ name }) => name);
  const listed = names.length > MOST_LISTED ? [...names.slice(0, MOST_LISTED), "…", names.at(-1)] : names;
  const preset = listed.join(", ");
  return {
    apiname,
    title: TITLES[dataset].history,
    counts: true,
    dataset,
    fields: [
      SYMBOL,
      TRADEDATE,
      field("format", "答案的形式", "format of the answer", { choices: ["json", "parquet"] }),
      ...WINDOW,
      field("fields", `留空为：${preset}`, `when empty: ${preset}`, { beside: true, wide: true }),
    ],
  };
}

function estimateForm(dataset: DatasetName): OperationForm {
  const title = TITLES[dataset].estimate;
  return { ...freeForm(DATASETS[dataset].estimate, title, [SYMBOL, TRADEDATE, ...WINDOW]), dataset };
}

/** Returns the form of an operation whose runs do not count against today's quota. */
function freeForm(apiname: string, title: OperationForm["title"], fields: FormField[]): OperationForm {
  return { apiname, title, counts: false, fields };
}

export const FORMS: readonly OperationForm[] = [
  ...DATASET_NAMES.map(historyForm),
  ...DATASET_NAMES.map(estimateForm),
  freeForm("file_download", say("文件共享", "File share"), [
    field("data_type", "文件种类", "kind of files", { choices: ["auction_tick", "level2"] }),
    field("year", "例如 2026", "such as 2026", { numeric: true, preset: "year" }),
  ]),
  freeForm("data_status", say("数据状态", "Data status"), [
    field("month", "YYYYMM，留空为本月", "YYYYMM, this month when empty"),
  ]),
  freeForm("data_symbols", say("证券列表", "Securities"), [
    TRADEDATE,
    DATASET,
    field("market", "留空为两个市场", "both markets when empty", { choices: ["", "SH", "SZ"] }),
  ]),
  freeForm("data_changes", say("数据变更", "Changes"), [
    DATASET,
    field("since", "日期或 RFC 3339", "a date or an RFC 3339 instant"),
    field("after", "上次的 next_after", "next_after of an earlier answer", { numeric: true }),
    field("limit", "最大 50", "50 at most", { numeric: true }),
  ]),
  freeForm("account_info", say("账户信息", "Account"), []),
];
