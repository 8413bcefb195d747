/**
 * Finds the files of one dataset in a delivery, with their layouts and securities. Lists all other files as left out,
 * each with a reason. Also finds the securities whose folders have no file of the dataset.
 */
import { type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import type { Security } from "../../orders/record.ts";
import type { DefectBook } from "../defect-book.ts";
import type { Layout } from "../layouts/layout.ts";
import {
  isOtherDataset,
  isOtherDatasetName,
  layoutOfHeader,
  layoutOfName,
  plainLayout,
} from "../layouts/registry.ts";
import { readHead } from "../parse/file-head.ts";
import { readSecurity } from "../parse/security-cell.ts";
import { headBytes } from "../parse/text-source.ts";
import type { WorkFolder } from "../work-folder.ts";
import type { Delivery } from "./delivery.ts";
import {
  holdsNoRecords,
  isLitter,
  isUnderWay,
  isUnreadFormat,
  plainName,
  withoutArchiveEnding,
} from "./file-names.ts";
import { plainParquetAsText } from "./parquet-source.ts";
import {
  baseName,
  DeliveryError,
  type LeftOutFile,
  type LeftOutReason,
  mayHoldRecords,
  type SourceFile,
} from "./source-file.ts";

export interface DatasetFile {
  file: SourceFile;
  layout: Layout;
  /** The security that the file's folder is named after; `null` if the folder names none. */
  security: Security | null;
  /** The reason why the file cannot be read, if it is known before the rows are read. */
  problem?: string;
}

export interface DatasetFiles {
  files: DatasetFile[];
  /** Securities whose folder has no file of the dataset. */
  withoutFile: Security[];
  /** All other files, in the order of the delivery. */
  leftOut: LeftOutFile[];
}

/**
 * Finds the files of `delivery` that hold rows of `dataset` on the day `tradedate`. Defects of whole files are added to
 * `defects`. Parquet files are converted to text in `work`. Throws `DeliveryError` when the folders of a security hold
 * two such files.
 */
export async function findDatasetFiles(
  delivery: Delivery,
  {
    dataset,
    tradedate,
    work,
    defects,
  }: { dataset: DatasetName; tradedate: BeijingDate; work: WorkFolder; defects: DefectBook },
): Promise<DatasetFiles> {
  const found: DatasetFiles = { files: [], withoutFile: [], leftOut: [] };
  for (const { path, reason } of delivery.leftOut) {
    const isOther = otherDayOf(path, tradedate) !== null;
    found.leftOut.push({ path, reason: isOther ? "other_day" : reason });
  }
  const delivered = new Map<string, string>();
  for (const file of delivery.files) {
    const { path } = file;
    const folder = securityOfFolder(path.slice(0, path.lastIndexOf("/")));
    const isOther = otherDayOf(path, tradedate) !== null;
    const byName = isOther ? "other_day" : reasonByName(path, dataset, folder);
    const reason = byName === "no_records" ? await reasonOfMarker(file, dataset) : byName;
    const recognised = reason ?? (await recognise(file, dataset, work));
    if (typeof recognised === "string" || folder === "not carried") {
      const leftOut = typeof recognised === "string" ? recognised : "market_not_carried";
      found.leftOut.push({ path, reason: leftOut });
      if (reason === "market_not_carried") defects.add(reason, 1, { file: path, line: 0 });
      continue;
    }
    if (folder !== null) {
      const code = `${folder.symbol}.${folder.market}`;
      const before = delivered.get(code);
      if (before !== undefined) {
        throw new DeliveryError(`${code} is delivered twice: ${before} and ${path}; keep only one of them`);
      }
      delivered.set(code, path);
    }
    const misfiled = folder !== null && isMisfiled(folder) ? { problem: MISFILED } : {};
    found.files.push({ ...recognised, ...misfiled, security: folder });
  }
  found.leftOut.sort((a, b) => (a.path < b.path ? -1 : 1));
  const unread = found.leftOut.filter(({ reason }) => mayHoldRecords(reason));
  for (const path of delivery.folders) {
    const security = otherDayOf(path, tradedate) === null ? securityOfFolder(path) : null;
    if (security === null || security === "not carried") continue;
    const code = `${security.symbol}.${security.market}`;
    if (delivered.has(code)) continue;
    // The security's rows can be in a file that was not read, so the security does not count as one without rows.
    if (unread.some((file) => file.path.startsWith(`${path}/`))) continue;
    delivered.set(code, path);
    defects.add("no_order_file", 1, { file: path, line: 0 });
    found.withoutFile.push(security);
  }
  return found;
}

/** Returns why the file is left out regardless of its day and its content, or `null`. */
function reasonByName(
  path: string,
  dataset: DatasetName,
  folder: ReturnType<typeof securityOfFolder>,
): LeftOutReason | null {
  const name = baseName(path);
  if (isOtherDatasetName(plainName(path), dataset)) return "other_dataset";
  if (folder === "not carried") return "market_not_carried";
  if (isUnderWay(name)) return "under_way";
  if (holdsNoRecords(name) || isLitter(path)) return "no_records";
  return isUnreadFormat(name) ? "unread_format" : null;
}

/**
 * Returns why a file is left out when its name says that it holds no records. A data file with such a name
 * (`orders.csv.ok`) is not read either, because it may be a copy of another file. Its reason is `named_as_marker`.
 */
async function reasonOfMarker(file: SourceFile, dataset: DatasetName): Promise<LeftOutReason> {
  if (file.sizeBytes === 0 || isLitter(file.path)) return "no_records";
  const head = await headBytes(file).catch((error: unknown) => {
    if (error instanceof DeliveryError) return new Uint8Array(0);
    throw error;
  });
  const isData = layoutOfHeader(readHead(head).columns, dataset) !== undefined;
  return isData ? "named_as_marker" : "no_records";
}

/** Returns the first day other than `tradedate` that a folder or archive in `path` is named after, or `null`. */
function otherDayOf(path: string, tradedate: BeijingDate): string | null {
  const days = path.split("/").map((name) => parseBeijingDate(withoutArchiveEnding(name)));
  return days.find((day) => day !== null && day !== tradedate) ?? null;
}

/**
 * Returns the security that the folder `path` is named after, such as `600519.SH`. Returns `not carried` for a security
 * of the Beijing exchange, and `null` for any other name.
 */
function securityOfFolder(path: string): Security | "not carried" | null {
  const name = withoutArchiveEnding(baseName(path));
  const security = name.includes(".") ? readSecurity(name) : null;
  if (security === null || security.market === null) return null;
  if (security.market === "BJ") return "not carried";
  return { symbol: security.symbol, market: security.market };
}

const MISFILED = "is in a folder that gives a Shanghai fund's code the suffix of Shenzhen";

/** Returns whether a folder has the code of a Shanghai fund and the suffix of Shenzhen, where no code begins with 5. */
function isMisfiled({ symbol, market }: Security): boolean {
  return market === "SZ" && symbol.startsWith("5");
}

type Recognised = Omit<DatasetFile, "security">;

/**
 * Returns the file with the layout that its name or header matches, or the reason why the file is left out. A file that
 * cannot be read is returned with its problem, so that it is quarantined as a whole.
 */
async function recognise(
  file: SourceFile,
  dataset: DatasetName,
  work: WorkFolder,
): Promise<Recognised | LeftOutReason> {
  try {
    const name = plainName(file.path);
    const named = layoutOfName(name, dataset);
    if (named !== undefined) return { file, layout: named };
    if (/\.parquet$/i.test(name)) {
      const text = await plainParquetAsText(file, dataset, work);
      if ("path" in text) return { file: text, layout: { ...plainLayout(dataset), delimiter: "\t" } };
      return isOtherDataset(text.columns, dataset) ? "other_dataset" : "unknown_layout";
    }
    const { columns } = readHead(await headBytes(file));
    const layout = layoutOfHeader(columns, dataset);
    if (layout !== undefined) return { file, layout };
    if (isOtherDataset(columns, dataset)) return "other_dataset";
    return file.sizeBytes === 0 ? "empty" : "unknown_layout";
  } catch (error) {
    if (error instanceof DeliveryError) return { file, layout: plainLayout(dataset), problem: error.message };
    throw error;
  }
}
