/** Admin bodies about daily files, shares and external shares. */
import * as z from "zod";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, DATASETS } from "../datasets/registry.ts";
import { DATA_TYPES, type DataType } from "../entitlement/data-types.ts";
import { MAX_PARTS, PART_SIZE_BYTES, uploadingSchema } from "./wire-days.ts";
import { beijingDateSchema, countSchema, instantSchema, sha256Schema } from "./wire-fields.ts";

export const dataTypeSchema = z.enum(DATA_TYPES, `expected ${DATA_TYPES.join(" or ")}`);

/** Letters that stand in an address as they are, on every system and in every tool. */
const FILE_NAME = /^[0-9A-Za-z][0-9A-Za-z._-]{0,127}$/;

/** What an auction pack of `tradedate` is called (contract 8.7). */
export function auctionPackName(tradedate: BeijingDate): string {
  return `${tradedate}_aucde.parquet`;
}

/**
 * Why a file of this type and day cannot be called `name`, as a clause, or null. The date must stand in the
 * name and no other date with it; `<date>_<dataset>.parquet` is a day pack, which `publish` sends.
 */
export function fileNameProblem(dataType: DataType, tradedate: BeijingDate, name: string): string | null {
  if (dataType === "auction_tick") {
    const expected = auctionPackName(tradedate);
    return name === expected ? null : `an auction pack of this day is called ${expected}`;
  }
  if (!FILE_NAME.test(name)) {
    return "a file name has up to 128 of the letters A-Z a-z 0-9 . _ - and begins with a letter or digit";
  }
  const dates = name.match(/\d{8}/g) ?? [];
  if (dates.length === 0 || dates.some((date) => date !== tradedate)) {
    return `the name must contain the day ${tradedate} and no other`;
  }
  // A copy of the share on a system that ignores case would keep one of two.
  const dataset = DATASET_NAMES.find((each) => name.toLowerCase() === `${tradedate}_${each}.parquet`);
  if (dataset !== undefined) {
    return `that is the ${DATASETS[dataset].row} pack, which is published by itself`;
  }
  return null;
}

/** Opens an upload of a file, or takes up the one that was interrupted. */
export const beginFileUploadSchema = z.strictObject({
  sizeBytes: z
    .int()
    .min(1)
    .max(MAX_PARTS * PART_SIZE_BYTES),
  sha256: sha256Schema,
});
export type BeginFileUpload = z.input<typeof beginFileUploadSchema>;

const FILE_STATES = ["uploaded", "verifying", "published", "withdrawn"] as const;

/** A revision of a file that no newer one has replaced. Instants are RFC 3339 in Beijing time. */
export const fileSummarySchema = z.strictObject({
  dataType: dataTypeSchema,
  tradedate: beijingDateSchema,
  name: z.string(),
  revision: z.int().min(1),
  /** Only `published` is offered; `verifying` has passed its checks and waits for `files publish`. */
  state: z.enum(FILE_STATES),
  /** Why it is withdrawn; empty otherwise. */
  stateNote: z.string(),
  sizeBytes: countSchema,
  sha256: sha256Schema,
  uploadedAt: z.string(),
  publishedAt: z.string().nullable(),
});
export type FileSummary = z.infer<typeof fileSummarySchema>;

/** Either send the missing parts and complete, or this content is there already. */
export const fileUploadBegunSchema = z.discriminatedUnion("state", [
  uploadingSchema,
  z.strictObject({ state: z.literal("present"), file: fileSummarySchema }),
]);
export type FileUploadBegun = z.infer<typeof fileUploadBegunSchema>;

export const fileListSchema = z.strictObject({ files: z.array(fileSummarySchema) });
export type FileList = z.infer<typeof fileListSchema>;

/** Offers a revision to shares. */
export const publishFileSchema = z.strictObject({
  /** The one that the operator looked at; absent: the only one that can be published, refused where there are several. */
  revision: z.int().min(1).optional(),
  /** Also as other content of a withdrawn file. What was withdrawn is published by its own number. */
  force: z.boolean().default(false),
});
export type PublishFile = z.input<typeof publishFileSchema>;

export const withdrawFileSchema = z.strictObject({ note: z.string().trim().max(500).default("") });

/** What the operator knows of the files of an external share: the service cannot look. */
const externalCoverage = {
  firstDay: beijingDateSchema,
  lastDay: beijingDateSchema,
  fileCount: z.int().min(1),
  sizeBytes: countSchema,
};

/** Some drives write the password into the link; links are stored, shown and audited as they are. */
const PASSWORD_IN_LINK = /[?&#](pwd|pass|passwd|password|code)=/i;

/** Registers a drive for a type and year. Without `link` it is answered as being prepared. */
export const externalShareSchema = z
  .strictObject({
    ...externalCoverage,
    link: z
      .strictObject({
        url: z
          .url({ protocol: /^https?$/, hostname: z.regexes.domain })
          .max(2_000)
          .refine((url) => !PASSWORD_IN_LINK.test(url), "give the password by itself, not in the link"),
        password: z.string().max(200).default(""),
        /** The link stops working at this instant. */
        expires: instantSchema,
      })
      .nullable()
      .default(null),
  })
  .refine((share) => share.firstDay <= share.lastDay, "firstDay must not be after lastDay");
export type ExternalShareInput = z.input<typeof externalShareSchema>;

/** A drive as the operator sees it; its password is never shown again. */
const externalSummarySchema = z.strictObject({
  dataType: dataTypeSchema,
  year: z.int(),
  ...externalCoverage,
  link: z.strictObject({ url: z.string(), expiresAt: z.string(), secretVersion: z.int() }).nullable(),
  setAt: z.string(),
});
export type ExternalSummary = z.infer<typeof externalSummarySchema>;

export const externalListSchema = z.strictObject({ external: z.array(externalSummarySchema) });
export type ExternalList = z.infer<typeof externalListSchema>;

/** A share of our own drive as the operator sees it; its password is derived and never shown here. */
export const shareSummarySchema = z.strictObject({
  shareId: z.string(),
  accountId: z.string(),
  dataType: dataTypeSchema,
  year: z.int(),
  generation: z.int().min(1),
  secretVersion: z.int(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
});
export type ShareSummary = z.infer<typeof shareSummarySchema>;

/** Versions of `SHARE_SECRET`, ascending; new shares have the current one, which is the highest. */
export const secretVersionsSchema = z.strictObject({
  current: z.int(),
  versions: z.array(
    z.strictObject({
      version: z.int(),
      /** Whether the secret has it; without it, what needs it does not work. */
      present: z.boolean(),
      /** Shares in force, and links of external shares, that need it. */
      shares: countSchema,
      drives: countSchema,
    }),
  ),
});
export type SecretVersions = z.infer<typeof secretVersionsSchema>;

/** Leaves the versions before the current one. */
export const rotateSecretSchema = z.strictObject({
  /** `keep`: older shares work until their own end, 7 days at most. `revoke`: as when an old secret has leaked. */
  olderShares: z.enum(["keep", "revoke"]).default("keep"),
});

/** The versions as they are now, the drives whose password is under the current one now, and the shares ended. */
export const rotatedSecretSchema = secretVersionsSchema.extend({
  resealed: z.array(z.strictObject({ dataType: dataTypeSchema, year: z.int() })),
  revoked: countSchema,
});
export type RotatedSecret = z.infer<typeof rotatedSecretSchema>;

/** All shares ever made for an account, newest first; of no account named those of all in force, by their id. */
export const shareListSchema = z.strictObject({
  shares: z.array(shareSummarySchema),
  /** To be given as `after` for the next page; null on the last one. */
  next: z.string().nullable().default(null),
});
export type ShareList = z.infer<typeof shareListSchema>;
