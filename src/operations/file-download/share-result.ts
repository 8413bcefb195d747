/** The share as the caller sees it: the eleven fields of contract 8.1 in their order. */
import { type BeijingDate, beijingTimestamp } from "../../calendar/beijing.ts";
import type { ExternalShare } from "../../catalog/external-shares.ts";
import type { Coverage } from "../../catalog/files.ts";
import type { ShareResult } from "../wire.ts";
import type { ShareQuery } from "./share-query.ts";

/** How long to wait for an operator who is still making a share elsewhere; it takes minutes to days. */
const PREPARING_RETRY_SECONDS = 600;

/** Where a share is reached, and until when (Unix milliseconds, exclusive). */
export interface ShareAccess {
  url: string;
  password: string;
  endMs: number;
}

/** A share of our own drive. */
export function readyShare(query: ShareQuery, coverage: CoveredDays, access: ShareAccess): ShareResult {
  const { url, password, endMs } = access;
  return {
    status: "ready",
    ...coverageFields(query, coverage),
    url,
    password,
    expires_at: beijingTimestamp(endMs),
    retry_after: 0,
  };
}

/** An external share whose link the operator has not registered yet, or that has run out. */
export function preparingShare(query: ShareQuery, external: ExternalShare): ShareResult {
  return {
    status: "preparing",
    ...coverageFields(query, external),
    url: "",
    password: "",
    expires_at: "",
    retry_after: PREPARING_RETRY_SECONDS,
  };
}

/** What is covered when anything is. */
export type CoveredDays = Pick<Coverage, "fileCount" | "sizeBytes"> & {
  firstDay: BeijingDate;
  lastDay: BeijingDate;
};

function coverageFields({ dataType, year }: ShareQuery, covered: CoveredDays) {
  return {
    data_type: dataType,
    year,
    start_date: covered.firstDay,
    end_date: covered.lastDay,
    file_count: covered.fileCount,
    size_bytes: covered.sizeBytes,
  };
}
