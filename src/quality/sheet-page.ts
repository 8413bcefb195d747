/**
 * The quality sheet as one printable page in both languages: a single file without external links, scripts or fonts.
 * `sheet-text.ts` writes the same content as text, but lists fewer securities.
 */
import { html, raw } from "hono/html";
import type { Bilingual } from "../base/language.ts";
import { DATASET_NAMES } from "../datasets/registry.ts";
import { DAY_CHECKS, MARKETS } from "./check-day.ts";
import {
  type Fault,
  type FaultySecurity,
  faultySecurities,
  type QualitySheet,
  type Verdict,
} from "./sheet.ts";
import {
  CHECK_NOTES,
  CHECK_TEXTS,
  CHECKS,
  DAY_CHECK_TEXTS,
  FAULT_TEXTS,
  numberText,
  placeText,
  REASON_TEXTS,
  VERDICT_TEXTS,
} from "./sheet-messages.ts";
import { SHEET_STYLE } from "./sheet-style.ts";
import { lackingTexts } from "./shortfall.ts";
import type { Unprovable } from "./verdict.ts";

type Markup = ReturnType<typeof html>;
/** Returns a text in the language of a part of the page. */
type Say = (text: Bilingual) => string;

/** The maximum number of securities whose faults are listed. The others are only counted. */
const NAMED_SECURITIES = 500;

const TEXTS = {
  /** The end of the ids in this language. */
  language: { en: "en", zh: "zh" },
  joint: { en: "; ", zh: "；" },
  meaning: {
    passed: {
      en: "No check failed, and orders and trades agree.",
      zh: "没有检查未通过，委托与成交相互吻合。",
    },
    failed: {
      en: "At least one check failed. The day is published only with --force; the audit records the reason.",
      zh: "至少一项检查未通过：只有加 --force 才会发布，原因记入审计。",
    },
    not_provable: {
      en: "No check failed, but orders and trades could not be matched with each other.",
      zh: "没有检查未通过，但委托与成交无法相互核对。",
    },
  },
  incomplete: { en: "incomplete", zh: "不完整" },
  cancels: { en: "cancels that agree with their order", zh: "与委托吻合的撤单" },
  fills: { en: "fills that agree with their order", zh: "与委托吻合的成交" },
  auctionRows: { en: "auction rows that agree with the orders", zh: "与委托吻合的竞价行" },
  failedSecurities: { en: "securities with a failed check", zh: "有检查未通过的证券" },
  of: { en: "of", zh: "/" },
  holds: { en: "What the day holds", zh: "当日数据" },
  dataset: { en: "Dataset", zh: "数据集" },
  build: { en: "Build id", zh: "构建号" },
  noPack: { en: "no pack", zh: "没有数据包" },
  day: { en: "Checks of the day", zh: "整日检查" },
  checks: { en: "Checks of each security", zh: "逐证券检查" },
  check: { en: "Check", zh: "检查" },
  verdict: { en: "Verdict", zh: "结论" },
  found: { en: "What was found", zh: "发现" },
  why: { en: "Why not provable", zh: "无法证实的原因" },
  failures: { en: "Failed securities", zh: "未通过的证券" },
  reported: { en: "Findings without a confirmed rule", zh: "规则未经验证处的发现" },
  reportedNote: {
    en: "These findings do not make the day fail: no real data confirms the rules for these securities.",
    zh: "这些发现不影响当日结论：没有样本可以验证这些证券的规则。",
  },
  security: { en: "Security", zh: "证券代码" },
  count: { en: "Count", zh: "次数" },
  first: { en: "First", zh: "首次出现" },
  none: { en: "None.", zh: "无。" },
  more: { en: "more securities are in the JSON sheet.", zh: "只证券见 JSON 报告。" },
  checkedBy: { en: "Checked by builder", zh: "检查所用构建器版本" },
} as const;

/** Returns the page as HTML. Equal sheets give equal pages. */
export function sheetPage(sheet: QualitySheet): string {
  const day = dateText(sheet.tradedate);
  const page = html`<!doctype html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${day} 质量报告 · edgetape</title>
<style>${raw(SHEET_STYLE)}</style>
</head>
<body>
<header><fieldset><legend>语言 · <span lang="en">Language</span></legend>
<label><input type="radio" name="language" id="zh" checked> 中文</label>
<label lang="en"><input type="radio" name="language" id="en"> English</label></fieldset></header>
<main>
<div class="zh">${inLanguage(sheet, ({ zh }) => zh)}</div>
<div class="en" lang="en">${inLanguage(sheet, ({ en }) => en)}</div>
</main>
</body>
</html>
`;
  return String(page);
}

function inLanguage(sheet: QualitySheet, say: Say): Markup {
  const day = dateText(sheet.tradedate);
  const failed = faultySecurities(sheet, "failed");
  const reported = faultySecurities(sheet, "not_provable");
  return html`<h1>${say({ en: `Quality of ${day}`, zh: `${day} 质量报告` })}</h1>
<p class="lead">${verdictBadge(sheet, say)} ${say(TEXTS.meaning[sheet.verdict])}</p>
${lackingPart(sheet, say)}${figures(sheet, failed.length, say)}
${heading("day", TEXTS.day, say)}${dayTable(sheet, say)}
${heading("checks", TEXTS.checks, say)}${checkTable(sheet, say)}
${heading("failed", TEXTS.failures, say)}${faultTable("failed", failed, say)}
${reported.length === 0 ? "" : reportedPart(reported, say)}
${heading("holds", TEXTS.holds, say)}${packTable(sheet, say)}
<footer>${say(TEXTS.checkedBy)} ${sheet.builderVersion}</footer>`;
}

/** Returns the paragraph that says what the day lacks; empty for a complete day. */
function lackingPart(sheet: QualitySheet, say: Say): Markup | "" {
  const lacking = lackingTexts(sheet).map(say);
  if (lacking.length === 0) return "";
  const texts = lacking.join(say(TEXTS.joint));
  return html`<p class="lead"><b class="verdict not_provable">${say(TEXTS.incomplete)}</b> ${texts}</p>
`;
}

function heading(id: string, text: Bilingual, say: Say): Markup {
  return html`<h2 id="${id}-${say(TEXTS.language)}">${say(text)}</h2>`;
}

function reportedPart(reported: readonly FaultySecurity[], say: Say): Markup {
  const id = "reported";
  return html`${heading(id, TEXTS.reported, say)}<p>${say(TEXTS.reportedNote)}</p>
${faultTable(id, reported, say)}`;
}

function figures({ counts, securities }: QualitySheet, failed: number, say: Say): Markup {
  const figure = (name: Bilingual, part: number, all: number) =>
    html`<div><dt>${say(name)}</dt><dd>${numberText(part)} <small>${say(TEXTS.of)} ${numberText(all)}</small></dd></div>`;
  return html`<dl>${[
    figure(TEXTS.cancels, counts.cancelsExact, counts.cancels),
    figure(TEXTS.fills, counts.fillsFound, counts.fills),
    figure(TEXTS.auctionRows, counts.auctionRowsFound, counts.auctionRows),
    figure(TEXTS.failedSecurities, failed, securities.length),
  ]}</dl>`;
}

function dayTable({ day }: QualitySheet, say: Say): Markup {
  const rows = DAY_CHECKS.map((check) => {
    const verdict = day[check];
    return html`<tr><th scope="row"><code>${check}</code> ${say(DAY_CHECK_TEXTS[check])}</th>
<td>${verdictBadge(verdict, say)}</td><td>${foundText(verdict, say)}</td></tr>`;
  });
  return table("day", { headings: [TEXTS.check, TEXTS.verdict, TEXTS.found], rows }, say);
}

function verdictBadge({ verdict }: Pick<Verdict, "verdict">, say: Say): Markup {
  return html`<b class="verdict ${verdict}">${say(VERDICT_TEXTS[verdict])}</b>`;
}

function foundText(verdict: Verdict, say: Say): string {
  if (verdict.verdict === "not_provable") return say(REASON_TEXTS[verdict.reason]);
  if (verdict.verdict === "passed") return "";
  return verdict.faults.map((fault) => kindText(fault, say)).join(say(TEXTS.joint));
}

/** Returns the text of a fault, followed by the fault's subject if there is one. */
function kindText({ kind, subject }: Fault, say: Say): string {
  const of = subject === undefined ? "" : say({ en: ` (${subject})`, zh: `（${subject}）` });
  return say(FAULT_TEXTS[kind]) + of;
}

function checkTable({ summary }: QualitySheet, say: Say): Markup {
  const rows = CHECKS.map((check) => {
    const { passed, failed, notProvable } = summary[check];
    const unproved = Object.values(notProvable).reduce((sum, each) => sum + each, 0);
    const reasons = Object.entries(notProvable).map(
      ([reason, count]) => `${say(REASON_TEXTS[reason as Unprovable])} × ${numberText(count)}`,
    );
    return html`<tr><th scope="row"><code>${check}</code> ${say(CHECK_TEXTS[check])}</th>
<td class="number">${numberText(passed)}</td><td class="number${failed > 0 ? " bad" : ""}">${numberText(failed)}</td>
<td class="number">${numberText(unproved)}</td><td>${reasons.join(say(TEXTS.joint))}</td></tr>`;
  });
  const { passed, failed, not_provable } = VERDICT_TEXTS;
  const headings = [TEXTS.check, passed, failed, not_provable, TEXTS.why];
  const notes = Object.entries(CHECK_NOTES).map(
    ([check, note]) => html`<p class="note"><code>${check}</code> ${say(note)}</p>`,
  );
  return html`${table("checks", { headings, rows }, say)}${notes}`;
}

function faultTable(id: string, securities: readonly FaultySecurity[], say: Say): Markup {
  if (securities.length === 0) return html`<p>${say(TEXTS.none)}</p>`;
  const named = securities.slice(0, NAMED_SECURITIES);
  const rows = named.flatMap(({ code, faults }) =>
    faults.map(
      ({ check, fault }) => html`<tr><th scope="row">${code}</th><td><code>${check}</code></td>
<td><code>${fault.kind}</code> ${kindText(fault, say)}</td><td class="number">${numberText(fault.count)}</td>
<td>${say(placeText(fault))}</td></tr>`,
    ),
  );
  const more = securities.length - named.length;
  const rest = more > 0 ? html`<p>${numberText(more)} ${say(TEXTS.more)}</p>` : "";
  const headings = [TEXTS.security, TEXTS.check, TEXTS.found, TEXTS.count, TEXTS.first];
  return html`${table(id, { headings, rows }, say)}${rest}`;
}

function packTable({ packs, sizes }: QualitySheet, say: Say): Markup {
  const rows = DATASET_NAMES.map((dataset) => {
    const markets = MARKETS.map((market) => {
      const { rows, securities } = sizes[market][dataset] ?? { rows: 0, securities: 0 };
      const [all, of] = [numberText(rows), numberText(securities)];
      return html`<td>${say({ en: `${all} rows, ${of} securities`, zh: `${all} 行，${of} 只证券` })}</td>`;
    });
    return html`<tr><th scope="row"><code>${dataset}</code></th>${markets}<td><code>${packs[dataset] ?? say(TEXTS.noPack)}</code></td></tr>`;
  });
  const markets = MARKETS.map((market) => ({ en: market, zh: market }));
  return table("holds", { headings: [TEXTS.dataset, ...markets, TEXTS.build], rows }, say);
}

/** The headings of numeric columns. */
const NUMBERS: ReadonlySet<Bilingual> = new Set([...Object.values(VERDICT_TEXTS), TEXTS.count]);

/**
 * Renders a table, which scrolls horizontally if it is too wide. `id` is the id of the heading that labels the table.
 */
function table(
  id: string,
  { headings, rows }: { headings: readonly Bilingual[]; rows: readonly Markup[] },
  say: Say,
): Markup {
  const cells = headings.map((heading) =>
    NUMBERS.has(heading)
      ? html`<th scope="col" class="number">${say(heading)}</th>`
      : html`<th scope="col">${say(heading)}</th>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}-${say(TEXTS.language)}">
<table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function dateText(tradedate: string): string {
  return `${tradedate.slice(0, 4)}-${tradedate.slice(4, 6)}-${tradedate.slice(6)}`;
}
