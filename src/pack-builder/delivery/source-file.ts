/** One file of a delivery, wherever it lies: on the disk or in an archive. */
import type { DatasetName } from "../../datasets/registry.ts";

/** Reads a file from its beginning to its end. */
export interface ByteSource {
  /** Fills `target` and returns how many bytes came: fewer than it holds only at the end of the file. */
  fill(target: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** A file as it was delivered, on the disk. */
export interface DeliveredFile {
  /** As `SourceFile.path`. */
  path: string;
  place: string;
  /** The other volumes of a split archive, of which this is the first. */
  volumes?: DeliveredFile[];
}

export interface SourceFile {
  /** For people: the path inside what was given, archives included, with `/`. */
  path: string;
  sizeBytes: number;
  /** Where it lies on the disk, unpacked or as it was delivered; `null` inside an archive. */
  place: string | null;
  /** The file that was delivered: this one, or the outermost archive around it. */
  delivered: DeliveredFile;
  open(): Promise<ByteSource>;
}

/** What a folder or archive holds. */
export interface Listing {
  files: SourceFile[];
  /** Paths of its folders, those that only their files imply not included. */
  folders: string[];
  /** What is in it and is not to be read, whatever its content. */
  leftOut: LeftOutFile[];
}

/** Why a file of a delivery is not read, as a clause for the report. */
export const LEFT_OUT_TEXTS = {
  link: "is a link, and links are not followed",
  outside: "has a path that leaves its archive",
  special: "is neither a file nor a folder",
  under_way: "is still being written, by its name",
  unread_format: "has a format that is not read; unpack it and deliver the folder",
  nested_too_deep: "is an archive inside too many others; unpack it and deliver the folder",
  unknown_layout: "has no known layout",
  other_day: "lies below the name of another day",
  other_dataset: "holds trades or quotes",
  market_not_carried: "is of an exchange that is not carried",
  no_records: "holds no records, by its name",
  empty: "is empty and has no known layout",
  own_output: "was written by an earlier build",
} as const;

/** The clause for a file that a build of `dataset` leaves out. */
export function leftOutText(reason: LeftOutReason, dataset: DatasetName): string {
  return reason === "other_dataset" && dataset === "trades"
    ? "holds orders or quotes"
    : LEFT_OUT_TEXTS[reason];
}

export type LeftOutReason = keyof typeof LEFT_OUT_TEXTS;

/** A file of a delivery that is not read. Every file is either read or one of these. */
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

/** Returns whether a file left out for `reason` can hold orders of the day: without it the day may lack rows. */
export function mayHoldRecords(reason: LeftOutReason): boolean {
  return !WITHOUT_RECORDS.has(reason);
}

/** A delivery that cannot be built from: the sentence says what is wrong and where. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
}

/** The last component of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Returns whether a member's `path`, the archive's own name in front, leads out of the archive: by `..`, or as an
 * absolute path of any system.
 */
export function leavesItsArchive(path: string): boolean {
  const [, ...names] = path.split(/[/\\]/);
  return names.includes("..") || names[0] === "" || /^[a-z]:$/i.test(names[0] ?? "");
}
