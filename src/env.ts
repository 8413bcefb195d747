/**
 * Bindings and settings of the deployment. The settings are parsed once per isolate. Other modules receive the parsed
 * `Settings`, never raw variables.
 */
import * as z from "zod";
import { version } from "../package.json";
import { WEBHOOK_KINDS, WEBHOOK_LANGUAGES } from "./base/webhook.ts";
import type { Gate } from "./gate/gate-object.ts";
import type { Guard } from "./shares/guard-object.ts";
import { parseShareSecrets } from "./shares/secrets.ts";

/** The project's version. */
export const VERSION: string = version;

/** The bindings, variables and secrets that `wrangler.toml` names. */
export interface Env {
  DB: D1Database;
  PACKS: R2Bucket;
  GATE: DurableObjectNamespace<Gate>;
  GUARD: DurableObjectNamespace<Guard>;
  RATE: RateLimit;
  [variable: string]: unknown;
}

const milliseconds = (fallback: number) => z.coerce.number().int().min(1).default(fallback);

const shareSecrets = z.string().transform((text, context) => {
  const secrets = parseShareSecrets(text);
  if (secrets !== null) return secrets;
  context.addIssue({ code: "custom", message: "expected <version>:<secret of 32 characters or more>, …" });
  return z.NEVER;
});

const settingsSchema = z.object({
  /** Signs cursors; at least 32 characters. */
  CURSOR_SECRET: z.string().min(32),
  /** The secret before the last rotation, accepted until 24 hours after `CURSOR_SECRET_ROTATED_AT`. */
  CURSOR_SECRET_PREVIOUS: z.string().min(32).optional(),
  /** RFC 3339 instant of the last rotation. */
  CURSOR_SECRET_ROTATED_AT: z.iso.datetime({ offset: true }).optional(),
  /**
   * Derives the passwords of shares and encrypts the passwords of external shares. The form is `<version>:<secret>`, or
   * several of these separated by commas; new passwords use the highest version. Keep the previous version for 7 days
   * (the validity of a share), and longer while `edgetape external list` names it.
   */
  SHARE_SECRET: shareSecrets,
  /**
   * Authenticates backups; has the form of `SHARE_SECRET`. Keep a version as long as you keep the backups that used it.
   * Without this setting, backups are not authenticated, and restoring one needs `--unauthenticated`.
   */
  BACKUP_SECRET: shareSecrets.optional(),
  /**
   * The base URL of shares, such as `https://data.example.com`. Required in production, where the `Host` that a caller
   * sends must not decide the address of a share. Elsewhere it defaults to the origin of the request.
   */
  PUBLIC_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/{1,9}$/, ""))
    .optional(),
  /** The first operator's bearer token. */
  ADMIN_TOKEN: z.string().min(24),
  ENVIRONMENT: z.string().default("production"),
  /** The longest duration of a JSON request. The slot is freed after this time. */
  JSON_BOUND_MS: milliseconds(60_000),
  /** The longest duration of a Parquet request. */
  PARQUET_BOUND_MS: milliseconds(300_000),
  /** The first byte is sent within this time, or the request fails (contract 2.5). */
  FIRST_BYTE_MS: milliseconds(15_000),
  /**
   * How long an isolate may serve a day's row from memory; 0 reads it at every request. A withdrawal takes effect
   * everywhere within this time (contract 3.13). `data_changes` lists it 5 s after this time has passed.
   */
  DAY_CACHE_MS: z.coerce.number().int().min(0).max(10_000).default(10_000),
  /** How often an active account's usage is written into the catalog, which can be out of date by this much. */
  USAGE_EVERY_MS: milliseconds(600_000),
  /** The region where Durable Objects are created. They never move afterwards. */
  LOCATION_HINT: z
    .enum(["apac", "apac-ne", "apac-se", "wnam", "enam", "sam", "weur", "eeur", "oc", "afr", "me"])
    .default("apac"),
  /** `off` disables the general per-second limit (tests, bench, load). */
  RATE_LIMIT: z.enum(["on", "off"]).default("on"),
  /** `warn` serves requests with unknown parameters instead of refusing, and names the parameters in a header. */
  UNKNOWN_PARAMETERS: z.enum(["refuse", "warn"]).default("refuse"),
  /** The share of served requests that are logged, 0 to 1. Refusals and faults are always logged. */
  LOG_SUCCESS_SHARE: z.coerce.number().min(0).max(1).default(1),
  /**
   * The webhook to which the scheduled task sends its findings; without it, they are only logged. The URL is a secret,
   * because anyone who has it can post there.
   */
  WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The format of the messages; derived from the URL's host when absent. */
  WEBHOOK_KIND: z.enum(WEBHOOK_KINDS).optional(),
  /** The signing secret of a DingTalk or Feishu robot that requires one. */
  WEBHOOK_SECRET: z.string().optional(),
  /** The language of text messages: Chinese and English, or one of them. */
  WEBHOOK_LANGUAGE: z.enum(WEBHOOK_LANGUAGES).default("both"),
  /** The time of day in Beijing, HH:MM, by which a trading day is due. */
  DAY_DUE: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .default("20:30"),
  /** Tests add this to the clock; it is 0 in every deployment. */
  CLOCK_OFFSET_MS: z.coerce.number().int().default(0),
});

export type Settings = z.infer<typeof settingsSchema>;

let parsed: { env: Env; settings: Settings } | undefined;

/** Returns the deployment's settings. Throws a `ZodError` that names the setting when one is absent or invalid. */
export function settingsOf(env: Env): Settings {
  if (parsed?.env !== env) parsed = { env, settings: settingsSchema.parse(env) };
  return parsed.settings;
}

/** The longest time from a change's timestamp until the change is in D1. */
const COMMIT_MS = 5_000;

/**
 * Returns the instant (Unix milliseconds) up to which changes of days are announced. All isolates have stopped serving
 * the state before those changes (contract 9).
 */
export function announcedUntilMs({ DAY_CACHE_MS }: Settings, atMs: number): number {
  return DAY_CACHE_MS === 0 ? atMs : atMs - DAY_CACHE_MS - COMMIT_MS;
}

/** Returns the current Unix milliseconds by the deployment's clock. */
export function nowMs(settings: Settings): number {
  return Date.now() + settings.CLOCK_OFFSET_MS;
}

/** Returns whether `hostname` is a loopback name or address. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|[^/]*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Returns whether a production deployment that is reached at `origin` lacks its `PUBLIC_BASE_URL`. */
export function lacksPublicBase(settings: Settings, origin: string): boolean {
  const { PUBLIC_BASE_URL, ENVIRONMENT } = settings;
  return (
    PUBLIC_BASE_URL === undefined && ENVIRONMENT === "production" && !isLoopback(new URL(origin).hostname)
  );
}

/**
 * Returns the base URL for the addresses that the service issues: `PUBLIC_BASE_URL`, or the `origin` of the request
 * where the setting is optional. Throws in a production deployment without the setting.
 */
export function publicBaseOf(settings: Settings, origin: string): string {
  if (lacksPublicBase(settings, origin))
    throw new Error("PUBLIC_BASE_URL is not set; production requires it");
  return settings.PUBLIC_BASE_URL ?? origin;
}
