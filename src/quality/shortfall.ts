/** Describes what a day lacks: parts of the datasets whose packs are degraded, and whole datasets. */
import * as z from "zod";
import type { Bilingual } from "../base/language.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { QualitySheet } from "./sheet.ts";
import { numberText } from "./sheet-messages.ts";

/** The maximum number of characters that `shortfallOf` returns. */
const MOST_CHARACTERS = 300;

export const count = z.int().nonnegative();
export const dataset = z.enum(DATASET_NAMES as [DatasetName, ...DatasetName[]]);

/** Why the pack of a dataset is degraded. */
export const shortfallSchema = z.discriminatedUnion("reason", [
  /** On one exchange, the dataset covers less than half as many securities as another dataset. */
  z.strictObject({
    reason: z.literal("few_securities"),
    dataset,
    market: z.enum(["SH", "SZ"]),
    securities: count,
    than: z.strictObject({ dataset, securities: count }),
  }),
  /** Lines could not be parsed. */
  z.strictObject({ reason: z.literal("broken_lines"), dataset, lines: count }),
  /** Files that may hold rows were not read. */
  z.strictObject({ reason: z.literal("unread_files"), dataset, files: count }),
]);

export type Shortfall = z.infer<typeof shortfallSchema>;

const EXCHANGES = { SH: { en: "Shanghai", zh: "上海" }, SZ: { en: "Shenzhen", zh: "深圳" } } as const;

/** Returns the shortfall as a clause that names the dataset and, for `few_securities`, the exchange. */
function shortfallText(shortfall: Shortfall): Bilingual {
  const { rows, rowName } = DATASETS[shortfall.dataset];
  switch (shortfall.reason) {
    case "few_securities": {
      const { than } = shortfall;
      const [few, many] = [numberText(shortfall.securities), numberText(than.securities)];
      const exchange = EXCHANGES[shortfall.market];
      const other = DATASETS[than.dataset];
      return {
        en: `${rows} cover ${few} ${exchange.en} securities, but ${other.rows} cover ${many}`,
        zh: `${exchange.zh}${rowName.zh}只有 ${few} 只证券，而${other.rowName.zh}有 ${many} 只`,
      };
    }
    case "broken_lines": {
      const lines = numberText(shortfall.lines);
      return {
        en: `${lines} ${shortfall.lines === 1 ? "line" : "lines"} of ${rows} could not be parsed and ${shortfall.lines === 1 ? "was" : "were"} left out`,
        zh: `${rowName.zh}有 ${lines} 行无法识别，未收入`,
      };
    }
    case "unread_files": {
      const files = numberText(shortfall.files);
      return {
        en: `${files} ${shortfall.files === 1 ? "file" : "files"} that may hold ${rows} ${shortfall.files === 1 ? "was" : "were"} not read`,
        zh: `${rowName.zh}有 ${files} 个可能含数据的文件未读取`,
      };
    }
  }
}

/** Returns what the day lacks, one clause for each item: datasets without a pack, then what packs lack. */
export function lackingTexts({ packs, degraded }: QualitySheet): Bilingual[] {
  const absent = DATASET_NAMES.filter((name) => packs[name] === null).map((name) => ({
    en: `no ${DATASETS[name].rows}`,
    zh: `没有${DATASETS[name].rowName.zh}`,
  }));
  return [...absent, ...degraded.map(shortfallText)];
}

/** Returns what the pack of `dataset` lacks, at most 300 characters; empty for a whole pack. */
export function shortfallOf({ degraded }: QualitySheet, dataset: DatasetName): string {
  const own = degraded.filter((each) => each.dataset === dataset).map((each) => shortfallText(each).en);
  return own.join("; ").slice(0, MOST_CHARACTERS);
}
