import { describe, expect, it } from "vitest";
import {
  failuresText,
  linesOf,
  outcomeNotice,
  servedSentence,
} from "../../../../src/cli/nightly/evening-notice.ts";
import type { DatasetOutcome, DayOutcome } from "../../../../src/cli/nightly/load-day.ts";

function dataset(name: DatasetOutcome["dataset"], said: Partial<DatasetOutcome> = {}): DatasetOutcome {
  return {
    dataset: name,
    state: "published",
    ...{ problem: null, problemZh: null, announcedAtMs: null, quarantine: null },
    ...{ revision: 3, rows: 1_200, securities: 20, sizeBytes: 5_000, brokenRows: 0 },
    degraded: false,
    ...said,
  };
}

/** Returns the outcome of a day with these datasets. They determine the day's state and problem, as in `loadDay`. */
function outcome(datasets: DatasetOutcome[], said: Partial<DayOutcome> = {}): DayOutcome {
  const [first = dataset("orders")] = datasets;
  const failed = datasets.find(({ state }) => state === "failed");
  return {
    ...first,
    tradedate: "20260312",
    state: failed === undefined ? first.state : "failed",
    problem: failed?.problem ?? null,
    ...{ datasets, lacking: [], sparse: [], leftOut: [], files: [], seconds: 2.5 },
    ...said,
  };
}

describe("the notice at the end of nightly", () => {
  it("says whether an auction pack was made from the quotes, and why a pack is not offered", () => {
    const made = { dataType: "auction_tick", name: "20260312_aucde.parquet", isMade: true, problem: null };
    const lines = (said: Partial<DayOutcome["files"][number]>) => {
      const file = { ...made, revision: 2, kept: null, ...said };
      return linesOf(outcome([dataset("quotes")], { files: [file] })).map(({ en }) => en);
    };
    expect(lines({})).toContain("20260312_aucde.parquet, made from the quotes, is offered as revision 2");
    expect(lines({ isMade: false })).toContain("20260312_aucde.parquet is offered as revision 2");
    expect(lines({ revision: null, kept: "It is withdrawn." })).toContain(
      "20260312_aucde.parquet, made from the quotes, is not offered: It is withdrawn.",
    );
    expect(lines({ kept: "These quotes have no auction." })).toContain(
      "20260312_aucde.parquet, made from earlier quotes, is still offered as revision 2: These quotes have no auction.",
    );
  });

  it.each([
    [[dataset("orders")], [], "20260312 is served as revision 3", "20260312 已发布，第 3 版"],
    [
      [dataset("orders", { state: "unchanged" }), dataset("trades", { revision: 1, degraded: true })],
      [],
      "20260312 was already served with this content, as revision 3; trades are served as revision 1, with rows left out",
      "20260312 的内容与已发布的第 3 版相同；逐笔成交已发布，第 1 版（有坏行未收入）",
    ],
    [
      [dataset("orders")],
      ["trades"],
      "20260312 is served as revision 3, without trades, which other days have",
      "20260312 已发布，第 3 版，缺少逐笔成交",
    ],
    [
      [dataset("trades")],
      ["orders"],
      "20260312 trades are served as revision 3, without orders, which other days have",
      "20260312 逐笔成交已发布，第 3 版，缺少逐笔委托",
    ],
  ] as [DatasetOutcome[], DayOutcome["lacking"], string, string][])(
    "names every dataset (case %#)",
    (datasets, lacking, en, zh) => {
      expect(servedSentence(outcome(datasets, { lacking }))).toEqual({ en, zh });
    },
  );

  it("has one line of numbers per dataset, names missing datasets, and counts the rows left out", () => {
    const broken = { brokenRows: 2, quarantine: "q.csv" };
    const datasets = [dataset("orders"), dataset("trades", { rows: 900, ...broken })];
    expect(linesOf(outcome(datasets, { lacking: ["orders"] })).map(({ en }) => en)).toEqual([
      "20 securities, 1,200 orders, 5.0 kB",
      "20 securities, 900 trades, 5.0 kB, in 2.5 s",
      "the delivery has no orders, which other days have",
      "2 lines could not be parsed; they are in q.csv",
    ]);
  });

  it("names an exchange for which a dataset has too few securities, and states the numbers of securities", () => {
    const than = { dataset: "orders", securities: 2_900 } as const;
    const sparse = [{ dataset: "trades", market: "SZ", securities: 12, than } as const];
    const datasets = [dataset("orders"), dataset("trades", { degraded: true })];
    const said = outcome(datasets, { degraded: true, sparse });
    expect(servedSentence(said)).toEqual({
      en: "20260312 is served as revision 3; trades are served as revision 3, with few Shenzhen securities in trades",
      zh: "20260312 已发布，第 3 版；逐笔成交已发布，第 3 版，逐笔成交缺少深圳证券",
    });
    expect(linesOf(said)).toContainEqual({
      en: "trades cover 12 Shenzhen securities, but orders cover 2,900",
      zh: "深圳逐笔成交只有 12 只证券，而逐笔委托有 2,900 只",
    });
  });

  it("is a failure when one dataset failed, and names what is still served", () => {
    const problem = { state: "failed" as const, revision: null, problem: "It is withdrawn." };
    const half = outcomeNotice(outcome([dataset("orders"), dataset("trades", problem)]));
    expect([half.event, half.title.en]).toEqual([
      "nightly.failed",
      "20260312 is served as revision 3; no trades were published from this delivery: It is withdrawn.",
    ]);
    const none = outcomeNotice(outcome([dataset("orders", problem)]));
    expect(none.title.en).toBe("No data for 20260312 was published from this delivery: It is withdrawn.");
  });

  it("names every failed dataset when several failed", () => {
    const failed = (name: DatasetOutcome["dataset"], problem: string, problemZh: string | null = null) =>
      dataset(name, { state: "failed", revision: null, problem, problemZh });
    const trades = failed("trades", "They are withdrawn.", "已被撤回");
    const quotes = failed("quotes", "They are too few.");
    const half = outcome([dataset("orders"), trades, quotes]);
    expect(outcomeNotice(half).title.en).toMatch(/; no trades were published .*: They are withdrawn\.$/);
    expect(outcomeNotice(half).lines).toEqual([
      {
        zh: "行情快照没有发布：They are too few.",
        en: "no quotes were published from this delivery: They are too few.",
      },
      ...linesOf(half),
    ]);
    expect(failuresText(half)).toBe("trades: They are withdrawn; quotes: They are too few.");
    const none = outcome([failed("orders", "It is withdrawn."), trades]);
    expect(outcomeNotice(none).lines).toEqual([
      {
        zh: "逐笔成交没有发布：已被撤回",
        en: "no trades were published from this delivery: They are withdrawn.",
      },
    ]);
    expect(outcomeNotice(none).title).toEqual({
      zh: "20260312 的数据没有发布：逐笔委托：It is withdrawn.",
      en: "No data for 20260312 was published from this delivery: orders: It is withdrawn.",
    });
    expect(failuresText(outcome([trades]))).toBe("They are withdrawn.");
    expect(failuresText(outcome([dataset("orders")]))).toBeNull();
  });

  it("is a warning when the day lacks a dataset that other days have", () => {
    const lacking = outcome([dataset("orders")], { lacking: ["trades"], degraded: true });
    expect(outcomeNotice(lacking)).toMatchObject({ event: "nightly.degraded", level: "warning" });
  });
});
