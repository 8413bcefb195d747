import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { type QualitySheet, qualitySheet, type SecurityReport } from "../../../src/quality/sheet.ts";
import {
  CHECK_NOTES,
  CHECK_TEXTS,
  CHECKS,
  FAULT_TEXTS,
  numberText,
  REASON_TEXTS,
  VERDICT_TEXTS,
} from "../../../src/quality/sheet-messages.ts";
import { sheetPage } from "../../../src/quality/sheet-page.ts";
import { sheetClaim, sheetLines, sheetSummary } from "../../../src/quality/sheet-text.ts";
import { shortfallOf } from "../../../src/quality/shortfall.ts";
import type { Unprovable } from "../../../src/quality/verdict.ts";
import { checked } from "./checked.ts";
import type { OrderRow } from "./rows.ts";

const DAY = "20230711" as BeijingDate;

/** Returns the report on a new order of 300 shares and a cancel whose quantity is `cancelled`. */
function report(symbol: string, cancelled: number): SecurityReport {
  const rows: OrderRow[] = [
    [93000000, 7, "A", "S", 10, 300],
    [93002000, 7, "D", "S", 10, cancelled],
  ];
  const security = { symbol, market: "SH" as const };
  const verdicts = checked({ security, orders: rows });
  return { ...security, rows: { orders: 2, trades: 1, quotes: null }, contents: {}, ...verdicts };
}

function sheetOf(securities: readonly SecurityReport[], builderVersion = "1.2.3"): QualitySheet {
  const packs = { orders: "0123456789abcdef", trades: null, quotes: null };
  return qualitySheet({ tradedate: DAY, builderVersion, packs, securities, others: [] });
}

/** Returns the text of the page in one language, without tags. */
function partOf(page: string, language: "zh" | "en"): string {
  const [, zh = "", en = ""] = page.split(/<div class="(?:zh|en)"[^>]*>/);
  return (language === "zh" ? zh : en).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

const PASSED = sheetOf([report("600519", 300)]);
const FAILED = sheetOf([report("600519", 300), report("600536", 200), report("110001", 100)]);

describe("the page of a quality sheet", () => {
  it.each(["zh", "en"] as const)(
    "shows the verdict, the counts and the reasons of every check in %s",
    (language) => {
      for (const sheet of [PASSED, FAILED]) {
        const part = partOf(sheetPage(sheet), language);
        expect(part).toContain(VERDICT_TEXTS[sheet.verdict][language]);
        for (const check of CHECKS) {
          const { passed, failed, notProvable } = sheet.summary[check];
          const unproved = Object.values(notProvable).reduce((sum, each) => sum + each, 0);
          const reasons = Object.entries(notProvable).map(
            ([reason, count]) => `${REASON_TEXTS[reason as Unprovable][language]} × ${count}`,
          );
          const text = `${check} ${CHECK_TEXTS[check][language]} ${passed} ${failed} ${unproved} ${reasons.join(language === "en" ? "; " : "；")}`;
          expect(part.replaceAll("&#39;", "'")).toContain(text.trim());
        }
      }
    },
  );

  it.each(["zh", "en"] as const)("explains in %s what `gaps` can prove", (language) => {
    expect(partOf(sheetPage(PASSED), language)).toContain(` gaps ${CHECK_NOTES.gaps?.[language]} `);
  });

  it("states at its top what the day lacks, with dataset, exchange and numbers, in both languages", () => {
    const degraded = [
      {
        ...{ reason: "few_securities" as const, dataset: "trades" as const, market: "SZ" as const },
        ...{ securities: 12, than: { dataset: "orders" as const, securities: 2_900 } },
      },
      { reason: "broken_lines" as const, dataset: "orders" as const, lines: 1 },
      { reason: "unread_files" as const, dataset: "orders" as const, files: 3 },
    ];
    const packs = { orders: "a", trades: "b", quotes: null };
    const sheet = qualitySheet({
      ...{ tradedate: DAY, builderVersion: "1.2.3", packs, others: [], degraded },
      securities: [report("600519", 300)],
    });
    const lacking = [
      "no quotes",
      "trades cover 12 Shenzhen securities, but orders cover 2,900",
      "1 line of orders could not be parsed and was left out",
      "3 files that may hold orders were not read",
    ];
    const headOf = (language: "zh" | "en") =>
      /^.*?(?:cancels that|与委托吻合的撤单)/.exec(partOf(sheetPage(sheet), language))?.[0];
    expect(headOf("en")).toContain(` incomplete ${lacking.join("; ")} `);
    expect(headOf("zh")).toContain(
      " 不完整 没有快照；深圳成交只有 12 只证券，而委托有 2,900 只；委托有 1 行无法识别，未收入；委托有 3 个可能含数据的文件未读取 ",
    );
    expect(sheetLines(sheet).slice(1, 6)).toEqual([
      expect.stringMatching(/^verdict /),
      ...lacking.map((text) => `incomplete  ${text}`),
    ]);
    expect(shortfallOf(sheet, "orders")).toBe(lacking.slice(2).join("; "));
    expect(shortfallOf(sheet, "quotes")).toBe("");
    const whole = { ...sheet, degraded: [], packs: { ...packs, quotes: "c" } };
    expect(sheetPage(whole)).not.toMatch(/incomplete|不完整/);
  });

  it.each(["zh", "en"] as const)(
    "names a failed security with the fault's kind, count and position in %s",
    (language) => {
      const part = partOf(sheetPage(FAILED), language).replaceAll("&#39;", "'");
      const fault = `cancel_remainder ${FAULT_TEXTS.cancel_remainder[language]} 1`;
      expect(part).toContain(`600536.SH matching ${fault}`);
      expect(part).toContain("09:30:02.000");
      // Findings in bonds are listed separately, because no real data confirms their rules.
      const reported = part.indexOf(`110001.SH matching ${fault}`);
      expect(reported).toBeGreaterThan(part.indexOf("600536.SH"));
      expect(partOf(sheetPage(PASSED), language)).not.toContain("matching cancel_remainder");
    },
  );

  it("has the same content as the text sheet", () => {
    const lines = sheetLines(FAILED).join("\n");
    const part = partOf(sheetPage(FAILED), "en").replaceAll("&#39;", "'");
    const { counts, packs } = FAILED;
    expect(lines).toContain(`cancels     ${counts.cancelsExact} of ${counts.cancels} exact`);
    expect(part).toContain(`${counts.cancelsExact} of ${counts.cancels}`);
    expect(lines).toMatch(
      /600536\.SH {2}matching: cancel_remainder × 1: .*row 1 of the orders at 09:30:02\.000/,
    );
    expect(part).toContain(" row 1 of the orders at 09:30:02.000");
    expect(part).toContain(String(packs.orders));
    expect(part).toContain("no pack");
  });

  it("lists 500 securities and counts the others", () => {
    const failed = Array.from({ length: 1_501 }, (_, number) =>
      report(`60${String(number).padStart(4, "0")}`, 200),
    );
    const part = partOf(sheetPage(sheetOf(failed)), "en");
    expect(part).toContain("600499.SH");
    expect(part).not.toContain("600500.SH");
    expect(part).toContain(`${numberText(1_001)} more securities`);
  });

  it("is a single file without external resources or scripts, and escapes the sheet's texts", () => {
    const page = sheetPage(sheetOf([report("600519", 200)], `<script src="x">'`));
    expect(page).not.toMatch(/<(?:script|link|img|iframe)|<[^>]*\s(?:src|href|on\w+)=|url\(|@import|https?:/);
    expect(page).toContain("builder &lt;script src=&quot;x&quot;&gt;&#39;");
  });
});

describe("a publisher's summary of a sheet", () => {
  it("contains the verdict, a sentence about it and the numbers of securities per check", () => {
    const { checks, ...said } = sheetClaim(FAILED);
    expect(said).toEqual({ verdict: "failed", summary: sheetSummary(FAILED) });
    expect(said.summary).toBe("failed: 600536.SH matching cancel_remainder × 1");
    expect(Object.keys(checks)).toEqual([...CHECKS]);
    expect(checks.matching).toEqual({ passed: 1, failed: 1, not_provable: 1 });
    for (const { passed, failed, not_provable } of Object.values(checks)) {
      expect(passed + failed + not_provable).toBe(3);
    }
  });
});
