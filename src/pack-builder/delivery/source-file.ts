/** One file of a delivery, on disk or in an archive. */
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../datasets/registry.ts";

/** Reads a file sequentially. */
export interface ByteSource {
  /** Fills `target` and returns the number of bytes, which is smaller than the target only at the end of the file. */
  fill(target: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** Returns the `fill` of a source with the bytes of `pieces`. A piece is requested when the one before it is used up. */
export function fillFrom(pieces: AsyncIterator<Uint8Array>): ByteSource["fill"] {
  let rest: Uint8Array = new Uint8Array(0);
  return async (target) => {
    let filled = 0;
    while (filled < target.length) {
      const part = rest.subarray(0, target.length - filled);
      target.set(part, filled);
      filled += part.length;
      rest = rest.subarray(part.length);
      if (filled === target.length) break;
      const next = await pieces.next();
      if (next.done) break;
      rest = next.value;
    }
    return filled;
  };
}

/** A delivered file on disk. */
export interface DeliveredFile {
  /** The same as `SourceFile.path`. */
  path: string;
  place: string;
  /** The other volumes of a split archive, if this file is the first volume. */
  volumes?: DeliveredFile[];
}

export interface SourceFile {
  /** The path in reports: it begins with the given folder or archive, includes nested archives and uses `/`. */
  path: string;
  sizeBytes: number;
  /** The path on disk, as delivered or unpacked; `null` for a file that is read inside its archive. */
  place: string | null;
  /** The delivered file: this one, or the outermost archive that contains it. */
  delivered: DeliveredFile;
  open(): Promise<ByteSource>;
}

/** The content of a folder or archive. */
export interface Listing {
  files: SourceFile[];
  /** Paths of the folders. A folder that occurs only in the path of a file is not in this list. */
  folders: string[];
  /** Files that are left out before their content is read, such as links. */
  leftOut: LeftOutFile[];
}

/** Why a file of a delivery is not read, as a clause for the report. */
export const LEFT_OUT_TEXTS = {
  link: "is a link, and links are not followed",
  outside: "has a path that leaves its archive",
  special: "is neither a file nor a folder",
  under_way: "is still being written, as its name says",
  unread_format: "has a format that is not read; unpack it and deliver the folder",
  nested_too_deep: "is an archive inside too many others; unpack it and deliver the folder",
  unknown_layout: "has no known layout",
  unreadable: "cannot be read, because it is damaged or in the wrong folder; deliver it again",
  other_day: "is in a folder or archive named after another day",
  other_dataset: "holds another dataset",
  market_not_carried: "belongs to an exchange that is not carried",
  no_records: "holds no records, as its name says",
  named_as_marker: "has the header of a data file and the name of a marker; rename it so that it is read",
  empty: "is empty and has no known layout",
  own_output: "was written by an earlier build",
} as const;

/** Returns the names of the other datasets' rows, such as `trades or quotes`. */
export function otherRows(dataset: DatasetName): string {
  const others = DATASET_NAMES.filter((name) => name !== dataset);
  return others.map((name) => DATASETS[name].rows).join(" or ");
}

/** Returns the clause for a file that a build of `dataset` leaves out. */
export function leftOutText(reason: LeftOutReason, dataset: DatasetName): string {
  return reason === "other_dataset" ? `holds ${otherRows(dataset)}` : LEFT_OUT_TEXTS[reason];
}

export type LeftOutReason = keyof typeof LEFT_OUT_TEXTS;

/** A file of a delivery that is not read. Every file is either read or left out. */
export interface LeftOutFile {
  path: string;
  reason: LeftOutReason;
}

const WITHOUT_RECORDS: ReadonlySet<LeftOutReason> = new Set([
  "other_day",
  "other_dataset",
  "market_not_carried",
  "no_records",
  "empty",
  "own_output",
]);

/** Returns whether a file left out for `reason` can hold rows of the day. If so, the day may be incomplete. */
export function mayHoldRecords(reason: LeftOutReason): boolean {
  return !WITHOUT_RECORDS.has(reason);
}

/** Thrown for a delivery from which no pack can be built; the message says what is wrong and where. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
}

/** Returns the last component of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Returns whether a member's `path`, prefixed with the archive's name, leads out of the archive: by `..` or as an
 * absolute path on any operating system.
 */
export function leavesItsArchive(path: string): boolean {
  const [, ...names] = path.split(/[/\\]/);
  return names.includes("..") || names[0] === "" || /^[a-z]:$/i.test(names[0] ?? "");
}
