/** What the three steps of an upload must know of a pack or a file; the rest they share. */
import type { By } from "../catalog/accounts.ts";
import type { Upload } from "../catalog/uploads.ts";
import type { AdminRefusal } from "./refusal.ts";

/** Where publishing acts. */
export interface Stores {
  db: D1Database;
  bucket: R2Bucket;
}

/** What arrived is not what was announced, or not what it must be; `problem` is a clause for the operator. */
export interface ArrivalProblem {
  problem: string;
}

export interface UploadTarget<Claims> {
  /** Its name among uploads. */
  target: string;
  /** What operators call it: the day of a pack, the name of a file. */
  called: string;
  /** Where the content of this revision comes to lie. */
  objectKey(revision: number): string;
  /**
   * Checks the whole object that the upload became and enters it into the catalog. `lost`, and nothing is
   * entered, when another publisher took the target over. `held` is fine as it is and yet not entered: the
   * upload stays, so that a publisher who insists need not send it again.
   */
  settle(
    stores: Stores,
    upload: Upload<Claims>,
    etag: string,
    by: By,
  ): Promise<"settled" | "lost" | ArrivalProblem | { held: AdminRefusal }>;
}
