/** Builds the notice about a run of `nightly`. */
import type * as wire from "../../admin/wire.ts";
import type { Bilingual } from "../../base/language.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { chineseName } from "../../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import { LEFT_OUT_TEXTS, type LeftOutReason } from "../../pack-builder/delivery/source-file.ts";
import { countText, sizeText } from "../command-line.ts";
import { lackingText } from "../dataset-days.ts";
import { type DatasetOutcome, type DayOutcome, isWell } from "./load-day.ts";
import type { Incomplete } from "./wait-for-delivery.ts";

/** The maximum number of unread files named in a notice; the build report names all of them. */
const NAMED_FILES = 20;

const EXCHANGES = { SH: { zh: "上海", en: "Shanghai" }, SZ: { zh: "深圳", en: "Shenzhen" } } as const;

const LEFT_OUT_ZH: Readonly<Record<LeftOutReason, string>> = {
  link: "是符号链接，不会读取链接指向的内容",
  outside: "路径超出压缩包范围",
  special: "既不是文件也不是文件夹",
  under_way: "从名字看还在写入",
  unread_format: "不支持此格式，请解压后再交付",
  nested_too_deep: "压缩包嵌套层数过多，请解压后再交付",
  unknown_layout: "无法识别的格式",
  unreadable: "文件已损坏或放错文件夹，无法读取，请重新交付",
  other_day: "属于其他交易日",
  other_dataset: "属于其他类型的数据",
  market_not_carried: "不收录该交易所",
  no_records: "从名字看不含数据",
  named_as_marker: "文件名像标记文件，内容却是数据，请改名后再交付",
  empty: "空文件",
  own_output: "由此前的构建生成",
};

/** Returns the notice for a delivered day: served, served with rows left out, or failed. */
export function outcomeNotice(outcome: DayOutcome): wire.Notice {
  const [event, level] = !isWell(outcome)
    ? (["nightly.failed", "failed"] as const)
    : outcome.degraded
      ? (["nightly.degraded", "warning"] as const)
      : (["nightly.published", "ok"] as const);
  const { announcedAtMs: _, ...told } = outcome;
  const datasets = outcome.datasets.map(({ announcedAtMs: __, ...each }) => each);
  const facts = { ...told, datasets };
  // The title names the first failed dataset.
  const lines = [...failedOf(outcome).slice(1).map(failedText), ...linesOf(outcome)];
  return { event, level, title: titleOf(outcome), lines, facts };
}

function titleOf(outcome: DayOutcome): Bilingual {
  const { tradedate, datasets } = outcome;
  const failed = failedOf(outcome);
  const [first] = failed;
  if (first === undefined) return servedSentence(outcome);
  if (failed.length === datasets.length) {
    const isOnly = datasets.length === 1;
    const zh = isOnly ? "" : `${chineseName(first.dataset)}：`;
    const en = isOnly ? "" : `${DATASETS[first.dataset].rows}: `;
    return {
      zh: `${tradedate} 的数据没有发布：${zh}${first.problemZh ?? first.problem}`,
      en: `No data for ${tradedate} was published from this delivery: ${en}${first.problem}`,
    };
  }
  const { zh, en } = servedSentence(outcome);
  const clause = failedText(first);
  return { zh: `${zh}；${clause.zh}`, en: `${en}; ${clause.en}` };
}

function failedOf({ datasets }: Pick<DayOutcome, "datasets">): DatasetOutcome[] {
  return datasets.filter(({ state }) => state === "failed");
}

function failedText({ dataset, problem, problemZh }: DatasetOutcome): Bilingual {
  return {
    zh: `${chineseName(dataset)}没有发布：${problemZh ?? problem}`,
    en: `no ${DATASETS[dataset].rows} were published from this delivery: ${problem}`,
  };
}

/** Returns why datasets failed, each named unless it is the only one; null when none did. */
export function failuresText(outcome: Pick<DayOutcome, "datasets">): string | null {
  const failed = failedOf(outcome);
  if (failed.length === 0 || outcome.datasets.length === 1) return failed[0]?.problem ?? null;
  const parts = failed.map(({ dataset, problem }) => `${DATASETS[dataset].rows}: ${problem}`);
  return parts.map((part, at) => (at < parts.length - 1 ? part.replace(/\.$/, "") : part)).join("; ");
}

/** Returns what is served now, in one line. At least one dataset must be served. */
export function servedSentence({ tradedate, datasets, lacking, sparse }: DayOutcome): Bilingual {
  const served = datasets.filter(({ state }) => state !== "failed");
  const parts = served.map(servedPart);
  const more: Bilingual[] = [];
  const isSparse = (name: DatasetName) => sparse.some(({ dataset }) => dataset === name);
  if (served.some(({ degraded, dataset }) => degraded && !isSparse(dataset))) {
    more.push({ zh: "（有坏行未收入）", en: ", with rows left out" });
  }
  if (lacking.length > 0) {
    more.push({
      zh: `，缺少${lacking.map(chineseName).join("、")}`,
      en: `, without ${lacking.join(" and ")}, which other days have`,
    });
  }
  for (const { dataset, market } of sparse) {
    const exchange = EXCHANGES[market];
    more.push({
      zh: `，${chineseName(dataset)}缺少${exchange.zh}证券`,
      en: `, with few ${exchange.en} securities in ${dataset}`,
    });
  }
  return {
    zh: `${tradedate} ${parts.map(({ zh }) => zh).join("；")}${more.map(({ zh }) => zh).join("")}`,
    en: `${tradedate} ${parts.map(({ en }) => en).join("; ")}${more.map(({ en }) => en).join("")}`,
  };
}

/**
 * Returns the clause about a served dataset. In the sentence, the clauses follow the date. The clause about the orders
 * does not name the dataset.
 */
function servedPart({ dataset, state, revision }: DatasetOutcome): Bilingual {
  const isDay = dataset === "orders";
  const zh = isDay ? "" : chineseName(dataset);
  const { rows } = DATASETS[dataset];
  return state === "unchanged"
    ? {
        zh: `${zh}的内容与已发布的第 ${revision} 版相同`,
        en: `${isDay ? "was" : `${rows} were`} already served with this content, as revision ${revision}`,
      }
    : {
        zh: `${zh}已发布，第 ${revision} 版`,
        en: `${isDay ? "is" : `${rows} are`} served as revision ${revision}`,
      };
}

/** Returns the lines below the title, with one fact each. They do not say which datasets failed. */
export function linesOf(outcome: DayOutcome): Bilingual[] {
  const { datasets, lacking, sparse, leftOut, files, seconds } = outcome;
  const lines: Bilingual[] = [];
  const served = datasets.filter(({ state }) => state !== "failed");
  for (const [place, { dataset, securities, rows, sizeBytes }] of served.entries()) {
    const noun = DATASETS[dataset].rows;
    const size = sizeText(sizeBytes);
    const isLast = place === served.length - 1;
    lines.push({
      zh: `证券 ${countText(securities)} 只，${chineseName(dataset)} ${countText(rows)} 条，${size}${isLast ? `，用时 ${seconds} 秒` : ""}`,
      en: `${countText(securities)} securities, ${countText(rows)} ${noun}, ${size}${isLast ? `, in ${seconds} s` : ""}`,
    });
  }
  lines.push(...lacking.map(lackingText), ...sparse.map(sparseText));
  for (const { brokenRows, quarantine } of datasets) {
    if (brokenRows === 0) continue;
    lines.push({
      zh: `${countText(brokenRows)} 行无法识别，保存在 ${quarantine}`,
      en: `${countText(brokenRows)} lines could not be parsed; they are in ${quarantine}`,
    });
  }
  for (const { path, reason } of leftOut.slice(0, NAMED_FILES)) {
    lines.push({
      zh: `${path} 未读取：${LEFT_OUT_ZH[reason]}`,
      en: `not read: ${path} ${LEFT_OUT_TEXTS[reason]}`,
    });
  }
  if (leftOut.length > NAMED_FILES) {
    const more = countText(leftOut.length - NAMED_FILES);
    lines.push({ zh: `另有 ${more} 个文件未读取`, en: `${more} more files were not read` });
  }
  lines.push(...files.map(fileLine));
  return lines;
}

function fileLine({ name, revision, problem, isMade, kept }: DayOutcome["files"][number]): Bilingual {
  const zh = isMade ? `由快照生成的 ${name}` : name;
  const en = isMade ? `${name}, made from the quotes,` : name;
  const reason = problem ?? kept;
  if (kept !== null && revision !== null) {
    return {
      zh: `由此前快照生成的 ${name} 仍在提供，第 ${revision} 版：${kept}`,
      en: `${name}, made from earlier quotes, is still offered as revision ${revision}: ${kept}`,
    };
  }
  return reason === null
    ? { zh: `${zh} 已提供，第 ${revision} 版`, en: `${en} is offered as revision ${revision}` }
    : { zh: `${zh} 未提供：${reason}`, en: `${en} is not offered: ${reason}` };
}

function sparseText({ dataset, market, securities, than }: DayOutcome["sparse"][number]): Bilingual {
  const exchange = EXCHANGES[market];
  const [few, many] = [countText(securities), countText(than.securities)];
  return {
    zh: `${exchange.zh}${chineseName(dataset)}只有 ${few} 只证券，而${chineseName(than.dataset)}有 ${many} 只`,
    en: `${DATASETS[dataset].rows} cover ${few} ${exchange.en} securities, but ${DATASETS[than.dataset].rows} cover ${many}`,
  };
}

/** Returns the notice for a missing or incomplete delivery. `isFinal`: the wait has ended. */
export function lateNotice(tradedate: BeijingDate, arrival: Incomplete, isFinal: boolean): wire.Notice {
  const kind = isFinal
    ? ({ event: "nightly.failed", level: "failed" } as const)
    : ({ event: "nightly.late", level: "warning" } as const);
  const rest = isFinal
    ? { zh: "已停止等待", en: "waiting has ended" }
    : { zh: "继续等待", en: "still waiting" };
  if (arrival.state === "nothing") {
    const title = {
      zh: `没有收到 ${tradedate} 的数据；${rest.zh}`,
      en: `no delivery for ${tradedate} has arrived; ${rest.en}`,
    };
    return { ...kind, title, lines: [], facts: { tradedate } };
  }
  const { problem, delivery } = arrival;
  const size = sizeText(delivery.sizeBytes);
  return {
    ...kind,
    title: {
      zh: `${tradedate} 的数据不完整：${problem.zh}；${rest.zh}`,
      en: `the delivery for ${tradedate} is not complete: ${problem.en}; ${rest.en}`,
    },
    lines: [{ zh: `已收到 ${size}`, en: `${size} have arrived so far` }],
    facts: { tradedate, problem: problem.en, sizeBytes: delivery.sizeBytes },
  };
}

/** Returns the notice for a problem that the delivery did not cause. */
export function faultNotice(tradedate: BeijingDate | null, problem: string): wire.Notice {
  return {
    event: "nightly.failed",
    level: "failed",
    title: {
      zh: `${tradedate ?? "今晚的数据"} 未能加载：${problem}`,
      en: `${tradedate ?? "this evening's data"} could not be loaded: ${problem}`,
    },
    lines: [],
    facts: { tradedate, problem },
  };
}
