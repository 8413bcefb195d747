/** Messages about parameters, fields and cursors, in Chinese and English (contract 1.8, 3, 5). */

import type { Bilingual } from "../base/language.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { fieldsOf } from "../orders/query/fields.ts";
import type { NameHint, ParamInvalid, QueryDenial } from "../orders/query/query-denial.ts";

const SYMBOL_FORMS = "600519, 600519.SH, 000001.SZ, sh600519";
const PAGE_SIZES = "1-10000";
const TIME_FORMS = "HH:MM, HH:MM:SS, HHMMSS, HHMMSSmmm";

/** Returns the message for a refused query: the parameter, what is accepted and what to do. */
export function queryMessage(denial: QueryDenial): Bilingual {
  switch (denial.reason) {
    case "param_invalid":
      return invalidMessage(denial);
    case "param_unknown":
      return unknownMessage(denial.parameter, denial.hint, denial.known.join(", "));
    case "param_excluded": {
      const names = denial.parameters.join(", ");
      return {
        zh: `format 为 parquet 时不支持 ${names}，请去掉后重试（返回的是该证券当日的完整文件）。`,
        en: `With format parquet, which returns the security's whole day, these parameters are not accepted: ${names}. Leave them out and try again.`,
      };
    }
    case "field_unknown": {
      const { field, nearest, separated } = denial;
      if (separated !== undefined) {
        return {
          zh: `fields 中没有字段 ${field}；字段之间要用英文逗号分隔，请写成 ${separated}。`,
          en: `In fields, there is no field ${field}: separate the names with commas, write ${separated}.`,
        };
      }
      const known = knownFields(denial.dataset ?? "orders");
      return {
        zh: `fields 中的字段 ${field} 不存在${nearest ? `，是否为 ${nearest}？` : "；"}可用字段：${known.zh}。`,
        en: `In fields, there is no field ${field}${nearest ? `; did you mean ${nearest}?` : "."} Accepted: ${known.en}.`,
      };
    }
    case "cursor_old_format":
      return {
        zh: "cursor 是旧格式，已不再支持；请去掉 cursor，从第一页重新开始。",
        en: "The cursor has the old format, which is no longer supported: start again without a cursor.",
      };
    case "cursor_invalid":
      if (denial.problem === "offset") {
        return {
          zh: "cursor 末尾的行数超出该毫秒的委托数；请去掉 cursor，从第一页重新开始。",
          en: "The cursor's row offset is beyond the rows of its millisecond: start again without a cursor.",
        };
      }
      return {
        zh: "cursor 无效；请原样传回上一页的 next_cursor，或去掉 cursor 从第一页重新开始。",
        en: "The cursor is invalid: pass next_cursor back exactly as received, or start again without a cursor.",
      };
    case "cursor_mismatch":
      if (denial.parameter === "apiname") {
        return {
          zh: "cursor 属于另一个接口（apiname）；请去掉 cursor，在此接口从第一页重新开始。",
          en: "The cursor belongs to another interface (apiname): start again on this interface without a cursor.",
        };
      }
      return {
        zh: `参数 ${denial.parameter} 与该 cursor 第一页的不一致；翻页时必须保持不变，或去掉 cursor 从第一页重新开始。`,
        en: `Parameter ${denial.parameter} differs from the first page of this cursor: keep it unchanged while paging, or start again without a cursor.`,
      };
    case "data_rebuilt":
      return {
        zh: `${denial.tradedate} 的数据已重建，cursor 不再适用；请去掉 cursor，从第一页重新开始。`,
        en: `The data of ${denial.tradedate} was rebuilt and the cursor no longer fits: start again without a cursor.`,
      };
  }
}

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
  const zhGiven = given === "" ? " " : `（收到 ${given}）`;
  const enGiven = given === "" ? "" : ` (received ${given})`;
  const say = (zh: string, en: string): Bilingual => ({
    zh: `参数 ${parameter}${zhGiven}${zh}。`,
    en: `Parameter ${parameter}${enGiven} ${en}.`,
  });
  switch (problem) {
    case "missing":
      return say(
        accepted === undefined ? `是必填项，例如 ${SYMBOL_FORMS}` : `是必填项，可用：${accepted}`,
        accepted === undefined
          ? `is required; accepted, for example: ${SYMBOL_FORMS}`
          : `is required; accepted: ${accepted}`,
      );
    case "not_string":
      if (accepted !== undefined) {
        return say(`必须是字符串，请写成 "${accepted}"`, `must be a string: write "${accepted}"`);
      }
      return say("必须是字符串", "must be a string");
    case "not_integer":
      return say(
        `必须是整数，范围 ${accepted ?? PAGE_SIZES}`,
        `must be an integer in the range ${accepted ?? PAGE_SIZES}`,
      );
    case "below_one":
      return say("必须不小于 1（最大 10000）", "must be at least 1 (at most 10000)");
    case "differs_from_limit":
      return {
        zh: `参数 page_size（${given}）与 limit（${accepted}）含义相同但取值不同，请只保留一个。`,
        en: `Parameters page_size (${given}) and limit (${accepted}) are two names for one parameter but have different values: keep one.`,
      };
    case "symbol_form":
      return say(`格式不正确，可用格式：${SYMBOL_FORMS}`, `has the wrong form; accepted: ${SYMBOL_FORMS}`);
    case "one_symbol_only":
      return say(
        "每次请求只支持一个证券，请逐个查询",
        "must name one security per request: send one request for each",
      );
    case "symbol_on_both_exchanges":
      return say("在两个交易所都存在，请加上后缀 .SH 或 .SZ", "exists on both exchanges: add .SH or .SZ");
    case "not_a_date":
      if (accepted !== undefined && accepted !== given) {
        return say(`格式应为 YYYYMMDD，请写成 ${accepted}`, `must be written as YYYYMMDD: ${accepted}`);
      }
      return say(
        "不是真实存在的日期，格式 YYYYMMDD，例如 20260311",
        "is not a calendar date; accepted: YYYYMMDD, for example 20260311",
      );
    case "needed_by_undated_cursor":
      return say(
        "必须随不含日期的 cursor 一起提供，取值为第一页的日期",
        "must be given with a cursor that carries no date: pass the first page's date",
      );
    case "format_form":
      return say("只能是 json 或 parquet", "must be json or parquet");
    case "time_form":
      return say(
        `格式不正确，${accepted === undefined ? "" : `请写成 ${accepted}；`}可用格式：${TIME_FORMS}`,
        `has the wrong form${accepted === undefined ? "" : `: write ${accepted}`}; accepted: ${TIME_FORMS}`,
      );
    case "time_eight_digits":
      return say(
        `只有八位数字，请在前面补 0 到九位 HHMMSSmmm${accepted === undefined ? "" : `：${accepted}`}`,
        `has eight digits: pad it with a leading zero to nine, HHMMSSmmm${accepted === undefined ? "" : `: ${accepted}`}`,
      );
    case "time_fraction":
      return say(
        `格式不正确，带毫秒请写成九位 HHMMSSmmm：${accepted ?? ""}`,
        `has the wrong form: with milliseconds it is written as HHMMSSmmm, ${accepted ?? ""}`,
      );
    case "time_out_of_day":
      return say(
        `不是一天中的时间，可用格式 ${TIME_FORMS}（时 00-23，分、秒 00-59）；要查到当日结束请省略 end_time`,
        `is not a time of day; accepted: ${TIME_FORMS} (hours 00-23, minutes and seconds 00-59); leave end_time out to read to the end of the day`,
      );
    case "empty_window":
      if (parameter === "end_time") {
        return say(
          "必须晚于 00:00（结束时间不包含在内）；要查到当日结束请省略 end_time",
          "must be after 00:00 (the end is exclusive); leave end_time out to read to the end of the day",
        );
      }
      return say(
        `必须早于 end_time${accepted ? ` ${accepted}` : ""}（起始时间包含在内，结束时间不包含）`,
        `must be before end_time${accepted ? ` ${accepted}` : ""} (the start is inclusive, the end exclusive)`,
      );
    case "fields_form":
      return say(
        "必须是以逗号分隔的字符串或字符串数组",
        "must be a comma-separated string or an array of strings",
      );
    case "value_unknown":
      return say(`不存在，可用：${accepted ?? ""}`, `is not one of these: ${accepted ?? ""}`);
    case "value_form":
      return say(`格式不正确，可用：${accepted ?? ""}`, `has the wrong form; accepted: ${accepted ?? ""}`);
    case "out_of_range":
      return say(`超出范围，可用：${accepted ?? ""}`, `is out of range; accepted: ${accepted ?? ""}`);
  }
}
