/** The report on a build of all datasets of a delivery, as text lines and as JSON. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { Market } from "../orders/record.ts";
import { MARKETS, SHANGHAI_ORDERS_SINCE } from "../quality/check-day.ts";
import type { QualitySheet } from "../quality/sheet.ts";
import type { Shortfall } from "../quality/shortfall.ts";
import type { AuctionPack } from "./auction-pack.ts";
import { type BuildReport, countedText, leftOutLines, packLines } from "./build-report.ts";
import { LEFT_OUT_TEXTS, type LeftOutFile, mayHoldRecords } from "./delivery/source-file.ts";
import { type Units, unitLines } from "./unit-check.ts";

export interface DeliveryReport {
  tradedate: BeijingDate;
  /**
   * `failed`: a pack is missing although the delivery has files of its dataset. `degraded`: no pack is missing, but at
   * least one is degraded, or a file that may hold records was not read for any pack.
   */
  result: BuildReport["result"];
  /** One report for each dataset that was built, in the order of `DATASET_NAMES`. */
  packs: BuildReport[];
  refused: RefusedDataset[];
  /** Datasets that were to be built but have no file in the delivery. */
  absent: DatasetName[];
  sparse: SparseDataset[];
  /** Every file of the delivery that was not used for any pack. */
  leftOut: LeftOutFile[];
  /** The comparison of quoted turnover with traded turnover. */
  units: Units;
  /** The auction pack; `null` without quotes, or when no security has an auction. */
  auction: DayAuction | null;
  /** The result of the quality check; `null` when it did not run. */
  quality: DayQuality | null;
}

/**
 * The auction pack next to the quote pack. Only the path is present if the builder kept another kind of file that
 * already had this path, and wrote no auction pack.
 */
export type DayAuction = AuctionPack | { path: string };

export interface DayQuality {
  verdict: QualitySheet["verdict"];
  /** The path of the quality sheet as JSON. */
  sheet: string;
  /** The path of the quality sheet as an HTML page. */
  page: string;
  /** The verdict as one sentence without a full stop, at most 300 characters. */
  summary: string;
}

/** A dataset of which no pack was built, for example because its files contradict each other. */
export interface RefusedDataset {
  dataset: DatasetName;
  /** The reason, as a sentence without a full stop. */
  problem: string;
}

/**
 * A dataset that covers, on one exchange, less than half as many securities as another dataset of the delivery. Its
 * pack is degraded.
 */
export interface SparseDataset {
  dataset: DatasetName;
  market: Market;
  securities: number;
  than: { dataset: DatasetName; securities: number };
}

interface Built extends Pick<DeliveryReport, "units" | "auction" | "quality"> {
  /** Datasets that were to be built. */
  wanted: readonly DatasetName[];
  packs: readonly BuildReport[];
  refused: readonly RefusedDataset[];
  /** For each dataset that was not built because it has no readable file, the files that were not read. */
  skipped: readonly (readonly LeftOutFile[])[];
}

/** Returns the report on the packs of `tradedate` (at least one) and on the datasets that were refused. */
export function deliveryReport(
  tradedate: BeijingDate,
  { wanted, packs, refused, skipped, units, auction, quality }: Built,
): DeliveryReport {
  const sparse = packs.flatMap((pack) => MARKETS.flatMap((market) => sparseOf(pack, market, packs) ?? []));
  const judged = packs.map((pack) => {
    const isSparse = sparse.some(({ dataset }) => dataset === pack.dataset);
    return isSparse ? { ...pack, result: "degraded" as const } : pack;
  });
  const results = new Set(judged.map(({ result }) => result));
  const isFailed = refused.length > 0 || results.has("failed");
  const leftOut = unread(packs, skipped);
  const isDegraded = results.has("degraded") || leftOut.some(({ reason }) => mayHoldRecords(reason));
  const held = new Set([...packs, ...refused].map(({ dataset }) => dataset));
  return {
    tradedate,
    result: isFailed ? "failed" : isDegraded ? "degraded" : "whole",
    packs: judged,
    refused: [...refused],
    absent: wanted.filter((dataset) => !held.has(dataset)),
    sparse,
    leftOut,
    units,
    auction,
    quality,
  };
}

function sparseOf(
  { dataset, tradedate, result, traded }: BuildReport,
  market: Market,
  packs: readonly BuildReport[],
): SparseDataset | null {
  const isExpected = dataset !== "orders" || market === "SZ" || tradedate >= SHANGHAI_ORDERS_SINCE;
  if (result === "failed" || !isExpected) return null;
  const securities = traded[market];
  const than = packs.find((other) => other.traded[market] > securities * 2);
  if (than === undefined) return null;
  return { dataset, market, securities, than: { dataset: than.dataset, securities: than.traded[market] } };
}

/** Returns what `pack` lacks, judged by its own report and by the other `packs` of the delivery. */
export function shortfallsOf(pack: BuildReport, packs: readonly BuildReport[]): Shortfall[] {
  const { dataset, broken, leftOut } = pack;
  const lines = broken.rows;
  const files = broken.files + leftOut.filter(({ reason }) => mayHoldRecords(reason)).length;
  return [
    ...MARKETS.flatMap((market) => sparseOf(pack, market, packs) ?? []).map((sparse) => ({
      reason: "few_securities" as const,
      ...sparse,
    })),
    ...(lines === 0 ? [] : [{ reason: "broken_lines" as const, dataset, lines }]),
    ...(files === 0 ? [] : [{ reason: "unread_files" as const, dataset, files }]),
  ];
}

/** Returns the report as lines for a terminal. */
export function deliveryLines(report: DeliveryReport): string[] {
  const { packs, refused, absent, leftOut, quality } = report;
  return [
    ...packs.flatMap((pack) => [`dataset     ${pack.dataset}`, ...packLines(pack)]),
    ...refused.flatMap(({ dataset, problem }) => [`dataset     ${dataset}`, `refused     ${problem}`]),
    ...sparseLines(report),
    ...unitLines(report.units),
    ...absent.map((dataset) => `no pack     ${dataset}: no file with ${DATASETS[dataset].rows} was found`),
    ...auctionLines(report.auction),
    ...(quality === null
      ? []
      : [`quality     ${quality.summary}`, `sheet       ${quality.sheet}`, `page        ${quality.page}`]),
    ...leftOutLines(leftOut, (reason) => LEFT_OUT_TEXTS[reason]),
  ];
}

function auctionLines(auction: DayAuction | null): string[] {
  if (auction === null) return [];
  if (!("rows" in auction)) return [`no auction  ${auction.path} was not made from quotes and was kept`];
  const { path, rows, securities, defects } = auction;
  const left =
    defects === 0 ? "" : `; left out: ${countedText(defects, "snapshot")} impossible in an auction`;
  const of = countedText(securities, "security", "securities");
  return [`auction     ${path}`, `            ${countedText(rows, "row")} of ${of}${left}`];
}

/** Returns a line for each dataset that covers far fewer securities of an exchange than another dataset. */
function sparseLines({ sparse }: DeliveryReport): string[] {
  return sparse.map(
    ({ dataset, market, securities, than }) =>
      `degraded    ${dataset} cover ${countedText(securities, `${market} security`, `${market} securities`)}, but ${than.dataset} cover ${than.securities}`,
  );
}

/**
 * Returns the files that were not used for any pack, each with one reason. `packs` and `skipped` can give several
 * reasons for a file. The result has the first for which `mayHoldRecords` is true. If there is none, it has the first
 * that is not `other_dataset`, and otherwise `other_dataset`.
 */
function unread(packs: readonly BuildReport[], skipped: Built["skipped"]): LeftOutFile[] {
  const lists = [...packs.map(({ leftOut }) => leftOut), ...skipped];
  const reasonsOf = lists.map((list) => new Map(list.map(({ path, reason }) => [path, reason])));
  const built = reasonsOf.slice(0, packs.length);
  return (packs[0]?.leftOut ?? []).flatMap(({ path }) => {
    if (!built.every((reasons) => reasons.has(path))) return [];
    const reasons = reasonsOf.flatMap((each) => each.get(path) ?? []);
    const reason = reasons.find(mayHoldRecords) ?? reasons.find((each) => each !== "other_dataset");
    return { path, reason: reason ?? "other_dataset" };
  });
}
