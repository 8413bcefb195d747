/** The answers to refused parameters, fields and cursors, in Chinese and English (contract 1.8, 3, 5). */

import type { Bilingual } from "../base/language.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { fieldsOf } from "../orders/query/fields.ts";
import type { NameHint, ParamInvalid, ParamProblem, QueryDenial } from "../orders/query/query-denial.ts";
import type { Outcomes } from "./outcome.ts";

const SYMBOL_FORMS = "600519, 600519.SH, 000001.SZ, sh600519";
const PAGE_SIZES = "1-10000";
const TIME_FORMS = "HH:MM, HH:MM:SS, HHMMSS, HHMMSSmmm";

/** The answers to refused queries: the parameter, what is accepted and what to do. */
export const QUERY_OUTCOMES: Outcomes<QueryDenial> = {
  param_invalid: invalidMessage,
  param_unknown: ({ parameter, hint, known }) => unknownMessage(parameter, hint, known.join(", ")),
  param_excluded: ({ parameters }) => ({
    zh: `format 为 parquet 时不支持 ${parameters.join(", ")}，请去掉后重试（返回的是该证券当日的完整文件）。`,
    en: `With format parquet, which returns the security's whole day, these parameters are not accepted: ${parameters.join(", ")}. Leave them out and try again.`,
  }),
  field_unknown: ({ field, nearest, separated, dataset = "orders" }) => {
    if (separated !== undefined) {
      return {
        zh: `fields 中没有字段 ${field}；字段之间要用英文逗号分隔，请写成 ${separated}。`,
        en: `Unknown field ${field} in fields: separate the names with commas and write ${separated}.`,
      };
    }
    const known = knownFields(dataset);
    return {
      zh: `fields 中的字段 ${field} 不存在${nearest ? `，是否为 ${nearest}？` : "；"}可用字段：${known.zh}。`,
      en: `In fields, there is no field ${field}${nearest ? `; did you mean ${nearest}?` : "."} Accepted: ${known.en}.`,
    };
  },
  cursor_old_format: () => ({
    zh: "cursor 是旧格式，已不再支持；请去掉 cursor，从第一页重新开始。",
    en: "The cursor has the old format, which is no longer supported: start again without a cursor.",
  }),
  cursor_invalid: ({ problem }) =>
    problem === "offset"
      ? {
          zh: "cursor 末尾的行数超出该毫秒的委托数；请去掉 cursor，从第一页重新开始。",
          en: "The cursor's row offset is beyond the rows of its millisecond: start again without a cursor.",
        }
      : {
          zh: "cursor 无效；请原样传回上一页的 next_cursor，或去掉 cursor 从第一页重新开始。",
          en: "The cursor is invalid: pass next_cursor back exactly as received, or start again without a cursor.",
        },
  cursor_mismatch: ({ parameter }) =>
    parameter === "apiname"
      ? {
          zh: "cursor 属于另一个接口（apiname）；请去掉 cursor，在此接口从第一页重新开始。",
          en: "The cursor belongs to another interface (apiname): start again on this interface without a cursor.",
        }
      : {
          zh: `参数 ${parameter} 与该 cursor 第一页的不一致；翻页时必须保持不变，或去掉 cursor 从第一页重新开始。`,
          en: `Parameter ${parameter} differs from the first page of this cursor: keep it unchanged while paging, or start again without a cursor.`,
        },
  data_rebuilt: ({ tradedate }) => ({
    zh: `${tradedate} 的数据已重建，cursor 不再适用；请去掉 cursor，从第一页重新开始。`,
    en: `The data of ${tradedate} was rebuilt and the cursor no longer fits: start again without a cursor.`,
  }),
};

/** Returns the names that `fields` accepts, including those returned on request only. */
function knownFields(dataset: DatasetName): Bilingual {
  const { standard, onRequest, legacy } = fieldsOf(dataset);
  const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);
  const known = [...names(standard), ...onRequest].join(", ");
  if (legacy.length === 0) return { zh: known, en: known };
  const older = names(legacy);
  return {
    zh: `${known}（另有旧名 ${older.join("、")}）`,
    en: `${known} (and the legacy names ${older.join(", ")})`,
  };
}

function unknownMessage(parameter: string, hint: NameHint | null, known: string): Bilingual {
  if (hint?.kind === "envelope") {
    return {
      zh: `params 中不支持参数 ${parameter}：它应与 params 并列，放在请求体的最外层。`,
      en: `Parameter ${parameter} does not belong inside params: put it beside params, at the top level of the body.`,
    };
  }
  if (hint?.kind === "paging") {
    return {
      zh: `不支持参数 ${parameter}：翻页用 cursor，把上一页的 next_cursor 原样传回；第一页不带 cursor。`,
      en: `There is no parameter ${parameter}: use cursor. Send the next_cursor of the previous page; omit cursor for the first page.`,
    };
  }
  if (known === "") {
    return {
      zh: `此接口没有参数，请去掉 ${parameter}。`,
      en: `This operation has no parameters: leave out ${parameter}.`,
    };
  }
  return {
    zh: `不支持参数 ${parameter}${hint ? `，是否为 ${hint.name}？` : "；"}可用参数：${known}。`,
    en: `There is no parameter ${parameter}${hint ? `; did you mean ${hint.name}?` : "."} Accepted: ${known}.`,
  };
}

function invalidMessage({ parameter, problem, given, accepted }: ParamInvalid): Bilingual {
  if (problem === "differs_from_limit") {
    return {
      zh: `参数 page_size（${given}）与 limit（${accepted}）含义相同但取值不同，请只保留一个。`,
      en: `Parameters page_size (${given}) and limit (${accepted}) are two names for one parameter but have different values: keep one.`,
    };
  }
  const [zh, en] = PROBLEMS[problem]({ parameter, given, accepted });
  return {
    zh: `参数 ${parameter}${given === "" ? " " : `（收到 ${given}）`}${zh}。`,
    en: `Parameter ${parameter}${given === "" ? "" : ` (received ${given})`} ${en}.`,
  };
}

type Explained = Pick<ParamInvalid, "parameter" | "given"> & { accepted: string | undefined };

const PROBLEMS: Record<
  Exclude<ParamProblem, "differs_from_limit">,
  (explained: Explained) => [zh: string, en: string]
> = {
  missing: ({ accepted }) =>
    accepted === undefined
      ? [`是必填项，例如 ${SYMBOL_FORMS}`, `is required; accepted, for example: ${SYMBOL_FORMS}`]
      : [`是必填项，可用：${accepted}`, `is required; accepted: ${accepted}`],
  not_string: ({ accepted }) =>
    accepted === undefined
      ? ["必须是字符串", "must be a string"]
      : [`必须是字符串，请写成 "${accepted}"`, `must be a string: write "${accepted}"`],
  not_integer: ({ accepted = PAGE_SIZES }) => [
    `必须是整数，范围 ${accepted}`,
    `must be an integer in the range ${accepted}`,
  ],
  below_one: () => ["必须不小于 1（最大 10000）", "must be at least 1 (at most 10000)"],
  symbol_form: () => [
    `格式不正确，可用格式：${SYMBOL_FORMS}`,
    `has the wrong form; accepted: ${SYMBOL_FORMS}`,
  ],
  one_symbol_only: () => [
    "每次请求只支持一个证券，请逐个查询",
    "must name one security per request: send one request for each",
  ],
  symbol_on_both_exchanges: () => [
    "在两个交易所都存在，请加上后缀 .SH 或 .SZ",
    "exists on both exchanges: add .SH or .SZ",
  ],
  not_a_date: ({ given, accepted }) =>
    accepted !== undefined && accepted !== given
      ? [`格式应为 YYYYMMDD，请写成 ${accepted}`, `must be written as YYYYMMDD: ${accepted}`]
      : [
          "不是真实存在的日期，格式 YYYYMMDD，例如 20260311",
          "is not a calendar date; accepted: YYYYMMDD, for example 20260311",
        ],
  needed_by_undated_cursor: () => [
    "必须随不含日期的 cursor 一起提供，取值为第一页的日期",
    "must be given with a cursor that carries no date: pass the first page's date",
  ],
  format_form: () => ["只能是 json 或 parquet", "must be json or parquet"],
  time_form: ({ accepted }) => [
    `格式不正确，${accepted === undefined ? "" : `请写成 ${accepted}；`}可用格式：${TIME_FORMS}`,
    `has the wrong form${accepted === undefined ? "" : `: write ${accepted}`}; accepted: ${TIME_FORMS}`,
  ],
  time_eight_digits: ({ accepted }) => [
    `只有八位数字，请在前面补 0 到九位 HHMMSSmmm${accepted === undefined ? "" : `：${accepted}`}`,
    `has eight digits: pad it with a leading zero to nine, HHMMSSmmm${accepted === undefined ? "" : `: ${accepted}`}`,
  ],
  time_fraction: ({ accepted = "" }) => [
    `格式不正确，带毫秒请写成九位 HHMMSSmmm：${accepted}`,
    `has the wrong form: with milliseconds it is written as HHMMSSmmm, ${accepted}`,
  ],
  time_out_of_day: () => [
    `不是一天中的时间，可用格式 ${TIME_FORMS}（时 00-23，分、秒 00-59）；要查到当日结束请省略 end_time`,
    `is not a time of day; accepted: ${TIME_FORMS} (hours 00-23, minutes and seconds 00-59); leave end_time out to read to the end of the day`,
  ],
  empty_window: ({ parameter, accepted }) =>
    parameter === "end_time"
      ? [
          "必须晚于 00:00（结束时间不包含在内）；要查到当日结束请省略 end_time",
          "must be after 00:00 (the end is exclusive); leave end_time out to read to the end of the day",
        ]
      : [
          `必须早于 end_time${accepted ? ` ${accepted}` : ""}（起始时间包含在内，结束时间不包含）`,
          `must be before end_time${accepted ? ` ${accepted}` : ""} (the start is inclusive, the end exclusive)`,
        ],
  fields_form: () => [
    "必须是以逗号分隔的字符串或字符串数组",
    "must be a comma-separated string or an array of strings",
  ],
  value_unknown: ({ accepted = "" }) => [`不存在，可用：${accepted}`, `is not one of these: ${accepted}`],
  value_form: ({ accepted = "" }) => [
    `格式不正确，可用：${accepted}`,
    `has the wrong form; accepted: ${accepted}`,
  ],
  out_of_range: ({ accepted = "" }) => [
    `超出范围，可用：${accepted}`,
    `is out of range; accepted: ${accepted}`,
  ],
};
