/** The answers to requests for data that cannot be served, in Chinese and English (contract 1.4, 1.8, 3.13). */

import type { Bilingual } from "../base/language.ts";
import { chineseName } from "../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { DayDenial } from "../orders/query/query-denial.ts";
import type { Fault, ShareDenial } from "./denial.ts";
import type { Outcomes } from "./outcome.ts";

/**
 * The subject of a message about a dataset's day. Messages about orders name no dataset; they have not changed since
 * orders were the only dataset.
 */
interface Subject {
  /** "data" or "trades", with the verbs and the pronoun that agree with it. */
  en: string;
  is: string;
  was: string;
  itIs: string;
  it: string;
  zh: string;
  /** The operation `data_status`, or the member of its answer that shows the state of the dataset. */
  status: Bilingual;
  /** The text that names the dataset after "the newest loaded day": for example " of trades"; empty for orders. */
  of: Bilingual;
}

const OF_ORDERS: Subject = {
  ...{ en: "data", is: "is", was: "was", itIs: "it is", it: "it" },
  zh: "数据",
  status: { zh: "data_status ", en: "data_status" },
  of: { zh: "", en: "" },
};

function subjectOf(dataset: DatasetName | undefined): Subject {
  if (dataset === undefined || dataset === "orders") return OF_ORDERS;
  const { rows } = DATASETS[dataset];
  const zh = chineseName(dataset);
  return {
    ...{ en: rows, is: "are", was: "were", itIs: "they are", it: "them" },
    zh,
    status: { zh: `data_status 的 datasets.${dataset} `, en: `datasets.${dataset} of data_status` },
    of: { zh, en: ` of ${rows}` },
  };
}

/** The answers about a day or security without data; they distinguish "not yet" from "never". */
export const DAY_OUTCOMES: Outcomes<DayDenial> = {
  /** Waiting helps only for a recent day. */
  not_loaded: (denial) => {
    const { dataset, tradedate, recent } = denial;
    const subject = subjectOf(dataset);
    const { zh, en, is, status } = subject;
    if (recent) {
      return withNewest(denial, {
        zh: `tradedate ${tradedate} 的${zh}尚未入库，请稍后重试`,
        en: `The ${en} of tradedate ${tradedate} ${is} not loaded yet: try again later`,
      });
    }
    if (subject === OF_ORDERS) {
      return withNewest(denial, {
        zh: `tradedate ${tradedate} 没有入库，data_status 按月列出已入库的交易日`,
        en: `The tradedate ${tradedate} is not loaded: data_status lists the loaded days of a month`,
      });
    }
    return withNewest(denial, {
      zh: `tradedate ${tradedate} 的${zh}没有入库，${status.zh}按月显示哪些交易日已入库`,
      en: `The ${en} of tradedate ${tradedate} are not loaded: ${status.en} shows the loaded days of a month`,
    });
  },
  not_trading_day: (denial) =>
    withNewest(denial, {
      zh: `tradedate ${denial.tradedate} 不是交易日，请换一个交易日`,
      en: `The tradedate ${denial.tradedate} is not a trading day: request another day`,
    }),
  future_day: (denial) =>
    withNewest(denial, {
      zh: `tradedate ${denial.tradedate} 还没有到（北京时间今天是 ${denial.today}）`,
      en: `The tradedate ${denial.tradedate} is in the future (today in Beijing is ${denial.today})`,
    }),
  before_history: ({ dataset, tradedate, earliestLoaded }) => {
    const subject = subjectOf(dataset);
    if (subject === OF_ORDERS) {
      return {
        zh: `tradedate ${tradedate} 早于本服务最早的数据日 ${earliestLoaded}，更早的数据不提供。`,
        en: `The tradedate ${tradedate} is before the service's first day, ${earliestLoaded}; earlier data is not offered.`,
      };
    }
    const { zh, en } = subject;
    return {
      zh: `tradedate ${tradedate} 早于${zh}最早的数据日 ${earliestLoaded}，更早的${zh}不提供。`,
      en: `The tradedate ${tradedate} is before the first day of ${en}, ${earliestLoaded}; earlier ${en} are not offered.`,
    };
  },
  withdrawn: ({ dataset, tradedate }) => {
    const { zh, en, was, itIs, status } = subjectOf(dataset);
    return {
      zh: `tradedate ${tradedate} 的${zh}已撤回，核实后可能重新提供；${status.zh}会显示它何时恢复，请先查询其他交易日。`,
      en: `The ${en} of tradedate ${tradedate} ${was} withdrawn and may be restored after a check. ${status.en} shows when ${itIs} available again; request another day meanwhile.`,
    };
  },
  security_unknown: ({ symbol, market, tradedate, carriedOn }) => {
    const code = market === null ? symbol : `${symbol}.${market}`;
    if (market === "BJ") {
      return {
        zh: `symbol ${code}：本服务未收录北京证券交易所，只有上海（.SH）和深圳（.SZ）。`,
        en: `The Beijing exchange (symbol ${code}) is not carried; only Shanghai (.SH) and Shenzhen (.SZ) are.`,
      };
    }
    if (carriedOn === null) {
      return {
        zh: `symbol ${code} 不在 ${tradedate} 的数据中，请核对代码和日期。`,
        en: `The symbol ${code} is not in the data of ${tradedate}: check the code and the date.`,
      };
    }
    return {
      zh: `symbol ${code} 不在 ${tradedate} 的数据中，是否要查 ${symbol}.${carriedOn}？`,
      en: `The symbol ${code} is not in the data of ${tradedate}; did you mean ${symbol}.${carriedOn}?`,
    };
  },
  no_orders: ({ symbol, market, tradedate, dataset = "orders" }) => {
    const { row, rowName } = DATASETS[dataset];
    const why =
      dataset === "quotes"
        ? { zh: "例如停牌", en: "it may have been halted, for example" }
        : {
            zh: "例如停牌或无人交易；指数只有行情快照",
            en: "it may have been halted or not traded; an index has quotes only",
          };
    return {
      zh: `symbol ${symbol}.${market} 在 ${tradedate} 没有任何${rowName.zh}记录（${why.zh}）。`,
      en: `The symbol ${symbol}.${market} has no ${row} records on ${tradedate} (${why.en}).`,
    };
  },
  day_damaged: ({ dataset, tradedate }) => {
    const { zh, en, is, it, status } = subjectOf(dataset);
    return {
      code: 503,
      zh: `tradedate ${tradedate} 的${zh}已损坏，正在修复：${status.zh}显示恢复后再试；其他交易日不受影响。`,
      en: `The ${en} of tradedate ${tradedate} ${is} damaged and being repaired: try again when ${status.en} shows ${it} as available; other days are not affected.`,
    };
  },
};

const FAULT_RETRY_SECONDS = 5;

/** The answers for a share without files, and for a fault. The answer for a fault has no internal details. */
export const OTHER_OUTCOMES: Outcomes<ShareDenial | Fault> = {
  nothing_published: ({ dataType, year }) => ({
    code: 1002,
    zh: `${dataType} 在 ${year} 年的可下载范围内尚无已发布的文件，请稍后重试。`,
    en: `No ${dataType} file is published yet for the part of ${year} that you may download; try again later.`,
  }),
  unavailable: ({ unread = false }) => ({
    retryAfterSeconds: FAULT_RETRY_SECONDS,
    ...(unread
      ? {
          zh: "该账户未读完的应答过多：请先读完或关闭已打开的应答，5 秒后重试；本次未计费。",
          en: "This account has too many responses that are not fully read. Read or close them, then try again in 5 seconds. This request is not charged.",
        }
      : {
          zh: "服务暂时不可用，请 5 秒后重试；若持续出现，请告知方括号内的请求编号。",
          en: "The service is temporarily unavailable: try again in 5 seconds. If this persists, report the request id in brackets.",
        }),
  }),
};

function withNewest(
  { dataset, newestLoaded }: Pick<Extract<DayDenial, { reason: "not_loaded" }>, "dataset" | "newestLoaded">,
  { zh, en }: Bilingual,
): Bilingual {
  if (newestLoaded === null) return { zh: `${zh}。`, en: `${en}.` };
  const { of } = subjectOf(dataset);
  return {
    zh: `${zh}；${of.zh}最新已入库的交易日是 ${newestLoaded}。`,
    en: `${en}; the newest loaded day${of.en} is ${newestLoaded}.`,
  };
}
