/** Admin bodies about daily files, shares and external shares. */
import * as z from "zod";
import { auctionPackName } from "../auction/columns.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, DATASETS } from "../datasets/registry.ts";
import { DATA_TYPES, type DataType } from "../entitlement/data-types.ts";
import { announcedContent, uploadingSchema } from "./wire-days.ts";
import { beijingDateSchema, countSchema, instantSchema, sha256Schema } from "./wire-fields.ts";

export const dataTypeSchema = z.enum(DATA_TYPES, `expected ${DATA_TYPES.join(" or ")}`);

/** Matches file names without characters that must be encoded in URLs. */
const FILE_NAME = /^[0-9A-Za-z][0-9A-Za-z._-]{0,127}$/;

/**
 * Returns why a file of this type and day cannot be called `name`, as a clause; null if it can. An auction file must
 * have the name of the day's auction pack. Any other name must contain the date and no other date.
 * `<date>_<dataset>.parquet` is reserved for day packs, which `publish` uploads.
 */
export function fileNameProblem(dataType: DataType, tradedate: BeijingDate, name: string): string | null {
  if (dataType === "auction_tick") {
    const expected = auctionPackName(tradedate);
    return name === expected ? null : `an auction pack of this day is called ${expected}`;
  }
  if (!FILE_NAME.test(name)) {
    return "a file name has 1 to 128 of the characters A-Z a-z 0-9 . _ - and begins with a letter or digit";
  }
  const dates = name.match(/\d{8}/g) ?? [];
  if (dates.length === 0 || dates.some((date) => date !== tradedate)) {
    return `the name must contain the day ${tradedate} and no other`;
  }
  // Case is ignored: on a case-insensitive system, a copy of the share would lose either the pack or this file.
  const dataset = DATASET_NAMES.find((each) => name.toLowerCase() === `${tradedate}_${each}.parquet`);
  if (dataset !== undefined) {
    return `this is the name of the ${DATASETS[dataset].row} pack; publish the pack with edgetape publish`;
  }
  return null;
}

/** Who made a file: an operator added it, or the builder made it from the day's quotes. */
const originSchema = z.enum(["operator", "builder"]).default("operator");

/** Opens an upload of a file, or resumes an interrupted one. */
export const beginFileUploadSchema = z.strictObject({
  ...announcedContent,
  /** The builder's file is refused while an operator's file exists. */
  origin: originSchema,
});
export type BeginFileUpload = z.input<typeof beginFileUploadSchema>;

const FILE_STATES = ["uploaded", "verifying", "published", "withdrawn"] as const;

/** A revision of a file that no newer one has replaced. Instants are RFC 3339 in Beijing time. */
export const fileSummarySchema = z.strictObject({
  dataType: dataTypeSchema,
  tradedate: beijingDateSchema,
  name: z.string(),
  revision: z.int().min(1),
  origin: originSchema,
  /** `verifying`: checked, and waiting for `files publish`. Only `published` revisions are offered. */
  state: z.enum(FILE_STATES),
  /** The reason for the withdrawal, or empty. */
  stateNote: z.string(),
  sizeBytes: countSchema,
  sha256: sha256Schema,
  uploadedAt: z.string(),
  publishedAt: z.string().nullable(),
});
export type FileSummary = z.infer<typeof fileSummarySchema>;

/** `uploading`: the command sends the missing parts and completes the upload. `present`: the content exists. */
export const fileUploadBegunSchema = z.discriminatedUnion("state", [
  uploadingSchema,
  z.strictObject({ state: z.literal("present"), file: fileSummarySchema }),
]);
export type FileUploadBegun = z.infer<typeof fileUploadBegunSchema>;

export const fileListSchema = z.strictObject({ files: z.array(fileSummarySchema) });
export type FileList = z.infer<typeof fileListSchema>;

/** Publishes a revision of a file in shares. */
export const publishFileSchema = z.strictObject({
  /** The revision to publish. Default: the only one that can be published. Required when there are several. */
  revision: z.int().min(1).optional(),
  /**
   * Whether different content may replace the withdrawn content of the file. To publish the withdrawn content itself,
   * name its revision instead.
   */
  force: z.boolean().default(false),
  /** A file from the builder never replaces an operator's file. */
  origin: originSchema,
});
export type PublishFile = z.input<typeof publishFileSchema>;

export const withdrawFileSchema = z.strictObject({ note: z.string().trim().max(500).default("") });

/** The operator's description of the files in an external share, which the service cannot read. */
const externalCoverage = {
  firstDay: beijingDateSchema,
  lastDay: beijingDateSchema,
  fileCount: z.int().min(1),
  sizeBytes: countSchema,
};

/** Matches a password in a link. Some services put it there, but links are stored, shown and audited in plain text. */
const PASSWORD_IN_LINK = /[?&#](pwd|pass|passwd|password|code)=/i;

/** Registers an external share for a type and year. Without `link`, the share is reported as being prepared. */
export const externalShareSchema = z
  .strictObject({
    ...externalCoverage,
    link: z
      .strictObject({
        url: z
          .url({ protocol: /^https?$/, hostname: z.regexes.domain })
          .max(2_000)
          .refine((url) => !PASSWORD_IN_LINK.test(url), "give the password separately, not in the link"),
        password: z.string().max(200).default(""),
        /** When the link expires. */
        expires: instantSchema,
      })
      .nullable()
      .default(null),
  })
  .refine((share) => share.firstDay <= share.lastDay, "firstDay must not be after lastDay");
export type ExternalShareInput = z.input<typeof externalShareSchema>;

/** An external share, as operators see it. The password is not shown. */
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

/** A share, as operators see it. The password is not shown. */
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

/** Versions of `SHARE_SECRET`, ascending; new shares use the current, highest one. */
export const secretVersionsSchema = z.strictObject({
  current: z.int(),
  versions: z.array(
    z.strictObject({
      version: z.int(),
      /** Whether the secret contains this version; otherwise the shares and links of the version do not work. */
      present: z.boolean(),
      /** Number of shares in force that depend on this version. */
      shares: countSchema,
      /** Number of external links that depend on this version. */
      drives: countSchema,
    }),
  ),
});
export type SecretVersions = z.infer<typeof secretVersionsSchema>;

/** Re-encrypts the passwords of external shares under the current version of the secret. */
export const rotateSecretSchema = z.strictObject({
  /** `keep`: older shares work until their end, 7 days at most. `revoke`: they end now, as after a leak. */
  olderShares: z.enum(["keep", "revoke"]).default("keep"),
});

/** The versions after the rotation, the re-encrypted external shares, and the number of revoked shares. */
export const rotatedSecretSchema = secretVersionsSchema.extend({
  resealed: z.array(z.strictObject({ dataType: dataTypeSchema, year: z.int() })),
  revoked: countSchema,
});
export type RotatedSecret = z.infer<typeof rotatedSecretSchema>;

/** All shares ever created for the named account, newest first; without an account, all valid shares by id. */
export const shareListSchema = z.strictObject({
  shares: z.array(shareSummarySchema),
  /** The value of `after` for the next page; null on the last page. */
  next: z.string().nullable().default(null),
});
export type ShareList = z.infer<typeof shareListSchema>;
