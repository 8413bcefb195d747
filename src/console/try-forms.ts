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

const SYMBOL: FormField = {
  name: "symbol",
  hint: say("六位代码，可带 .SH 或 .SZ", "six digits, with or without .SH or .SZ"),
  preset: "security",
};
const TRADEDATE: FormField = { name: "tradedate", hint: say("YYYYMMDD", "YYYYMMDD"), preset: "newest" };
const WINDOW: readonly FormField[] = [
  { name: "start_time", hint: say("含，例如 09:30", "inclusive, such as 09:30") },
  { name: "end_time", hint: say("不含，例如 10:00", "exclusive, such as 10:00") },
  { name: "page_size", hint: say("最大 10000", "10000 at most"), numeric: true },
];
const NOW_YEAR: FormField = {
  name: "year",
  hint: say("例如 2026", "such as 2026"),
  numeric: true,
  preset: "year",
};

const TITLES: Readonly<Record<DatasetName, Record<"history" | "estimate", OperationForm["title"]>>> = {
  orders: { history: say("逐笔委托", "Order history"), estimate: say("委托估算", "Order estimate") },
  trades: { history: say("逐笔成交", "Trade history"), estimate: say("成交估算", "Trade estimate") },
  quotes: { history: say("行情快照", "Quote history"), estimate: say("快照估算", "Quote estimate") },
};
const DATASET: FormField = {
  name: "dataset",
  hint: say("哪个数据集", "which dataset"),
  choices: DATASET_NAMES,
};

/** The maximum number of column names in a hint. Quotes have fifty columns, most of them levels of the book. */
const MOST_LISTED = 14;

function historyForm(dataset: DatasetName): OperationForm {
  const { apiname, columns } = DATASETS[dataset];
  const names = columns.filter(({ onRequest }) => !onRequest).map(({ name }) => name);
  const fields = names.length > MOST_LISTED ? [...names.slice(0, MOST_LISTED), "…", names.at(-1)] : names;
  return {
    apiname,
    title: TITLES[dataset].history,
    counts: true,
    dataset,
    fields: [
      SYMBOL,
      TRADEDATE,
      { name: "format", hint: say("答案的形式", "format of the answer"), choices: ["json", "parquet"] },
      ...WINDOW,
      {
        name: "fields",
        hint: say(`留空为：${fields.join(", ")}`, `when empty: ${fields.join(", ")}`),
        beside: true,
        wide: true,
      },
    ],
  };
}

function estimateForm(dataset: DatasetName): OperationForm {
  return {
    apiname: DATASETS[dataset].estimate,
    title: TITLES[dataset].estimate,
    counts: false,
    dataset,
    fields: [SYMBOL, TRADEDATE, ...WINDOW],
  };
}

export const FORMS: readonly OperationForm[] = [
  ...DATASET_NAMES.map(historyForm),
  ...DATASET_NAMES.map(estimateForm),
  {
    apiname: "file_download",
    title: say("文件共享", "File share"),
    counts: false,
    fields: [
      { name: "data_type", hint: say("文件种类", "kind of files"), choices: ["auction_tick", "level2"] },
      NOW_YEAR,
    ],
  },
  {
    apiname: "data_status",
    title: say("数据状态", "Data status"),
    counts: false,
    fields: [{ name: "month", hint: say("YYYYMM，留空为本月", "YYYYMM, this month when empty") }],
  },
  {
    apiname: "data_symbols",
    title: say("证券列表", "Securities"),
    counts: false,
    fields: [
      TRADEDATE,
      DATASET,
      { name: "market", hint: say("留空为两个市场", "both markets when empty"), choices: ["", "SH", "SZ"] },
    ],
  },
  {
    apiname: "data_changes",
    title: say("数据变更", "Changes"),
    counts: false,
    fields: [
      DATASET,
      { name: "since", hint: say("日期或 RFC 3339", "a date or an RFC 3339 instant") },
      { name: "after", hint: say("上次的 next_after", "next_after of an earlier answer"), numeric: true },
      { name: "limit", hint: say("最大 50", "50 at most"), numeric: true },
    ],
  },
  { apiname: "account_info", title: say("账户信息", "Account"), counts: false, fields: [] },
];
