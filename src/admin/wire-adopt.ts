/**
 * Admin bodies about day packs that lie in R2 and that the catalog does not know: a restored backup is older than
 * they are. Adopting one serves it as its day's next revision, without sending it again.
 */
import * as z from "zod";
import { beijingDateSchema, countSchema, sha256Schema } from "./wire-fields.ts";

/** A day with such packs. */
export const adoptableDaySchema = z.strictObject({
  tradedate: beijingDateSchema,
  /** The revision that is served now; null when none is. */
  served: z.int().min(1).nullable(),
  /** Newest first. */
  packs: z
    .array(
      z.strictObject({
        objectKey: z.string(),
        sizeBytes: countSchema,
        /** RFC 3339, Beijing time. */
        uploadedAt: z.string(),
      }),
    )
    .min(1),
});
export type AdoptableDay = z.infer<typeof adoptableDaySchema>;

/** Oldest day first. */
export const adoptableListSchema = z.strictObject({ days: z.array(adoptableDaySchema) });
export type AdoptableList = z.infer<typeof adoptableListSchema>;

/** Serves the pack in `objectKey` as the day's next revision once it is found whole. The answer is `Published`. */
export const adoptDaySchema = z.strictObject({
  objectKey: z.string().min(1).max(200),
  /** Of the pack; needed only where its object does not carry it, as those of earlier versions do not. */
  sha256: sha256Schema.optional(),
  /** Whether its build left rows out; absent: as its upload said. */
  degraded: z.boolean().optional(),
  /** Even when it is implausible. */
  force: z.boolean().default(false),
});
export type AdoptDay = z.input<typeof adoptDaySchema>;
