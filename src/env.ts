/**
 * Bindings and settings of the deployment, parsed once per isolate. Everything below `app.ts`
 * receives the parsed `Settings`, never raw variables.
 */
import * as z from "zod";
import { version } from "../package.json";
import { WEBHOOK_KINDS, WEBHOOK_LANGUAGES } from "./base/webhook.ts";
import type { Gate } from "./gate/gate-object.ts";
import type { Guard } from "./shares/guard-object.ts";
import { parseShareSecrets } from "./shares/secrets.ts";

/** The project's version. */
export const VERSION: string = version;

/** The platform's bindings as `wrangler.toml` names them, and the variables and secrets beside them. */
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
   * Passwords of shares and of external drives stand on it: `<version>:<secret>`, several separated by
   * commas, the highest version for new ones. Shares live 7 days: keep the previous version that long, and
   * as long as `edgetape external list` names it.
   */
  SHARE_SECRET: shareSecrets,
  /**
   * Seals backups: versions as of `SHARE_SECRET`. Keep a version for as long as backups of it are kept. Without
   * the secret backups are not sealed, and restoring one needs `--unauthenticated`.
   */
  BACKUP_SECRET: shareSecrets.optional(),
  /**
   * Where shares are reached, such as `https://data.example.com`. Required in production: the `Host` that a caller
   * sends must not decide which address a share gets. Elsewhere the address of the request when absent.
   */
  PUBLIC_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/{1,9}$/, ""))
    .optional(),
  /** The first operator's bearer token. */
  ADMIN_TOKEN: z.string().min(24),
  ENVIRONMENT: z.string().default("production"),
  /** Total bound of a JSON request: the slot frees itself after it. */
  JSON_BOUND_MS: milliseconds(60_000),
  /** Total bound of a Parquet request. */
  PARQUET_BOUND_MS: milliseconds(300_000),
  /** The first byte comes within this time or the request fails (contract 2.5). */
  FIRST_BYTE_MS: milliseconds(15_000),
  /**
   * How long an isolate may serve a day's row from memory; 0 reads it at every request. A withdrawal is in force
   * everywhere within this time (contract 3.13), and is announced 5 s later.
   */
  DAY_CACHE_MS: z.coerce.number().int().min(0).max(10_000).default(10_000),
  /** Where Durable Objects are created: they never move afterwards. */
  LOCATION_HINT: z
    .enum(["apac", "apac-ne", "apac-se", "wnam", "enam", "sam", "weur", "eeur", "oc", "afr", "me"])
    .default("apac"),
  /** `off` lifts the general per-second ceiling (tests, bench, load). */
  RATE_LIMIT: z.enum(["on", "off"]).default("on"),
  /** `warn` serves requests with unknown parameters and names them in a header instead of refusing. */
  UNKNOWN_PARAMETERS: z.enum(["refuse", "warn"]).default("refuse"),
  /** Where the scheduled task sends its findings; absent: nowhere. A secret: it lets its holder post there. */
  WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The form of the messages; by the address's host when absent. */
  WEBHOOK_KIND: z.enum(WEBHOOK_KINDS).optional(),
  /** The signing secret of a DingTalk or Feishu robot that wants one. */
  WEBHOOK_SECRET: z.string().optional(),
  /** What a robot is told in: Chinese and English, or one of them. */
  WEBHOOK_LANGUAGE: z.enum(WEBHOOK_LANGUAGES).default("both"),
  /** Time of day in Beijing, HH:MM, by which a trading day is published. */
  DAY_DUE: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .default("20:30"),
  /** Added to the clock, so that tests can stand at another instant. 0 in every deployment. */
  CLOCK_OFFSET_MS: z.coerce.number().int().default(0),
});

export type Settings = z.infer<typeof settingsSchema>;

let parsed: { env: Env; settings: Settings } | undefined;

/** The deployment's settings; throws a `ZodError` that names the setting when one is absent or wrong. */
export function settingsOf(env: Env): Settings {
  if (parsed?.env !== env) parsed = { env, settings: settingsSchema.parse(env) };
  return parsed.settings;
}

/** A change reaches D1 within this time of the instant that it is stamped with. */
const COMMIT_MS = 5_000;

/**
 * Returns the instant up to which changes of days are announced, in Unix milliseconds: no isolate serves what was
 * before them any more (contract 9).
 */
export function announcedUntilMs({ DAY_CACHE_MS }: Settings, atMs: number): number {
  return DAY_CACHE_MS === 0 ? atMs : atMs - DAY_CACHE_MS - COMMIT_MS;
}

/** Now, as Unix milliseconds, by the deployment's clock. */
export function nowMs(settings: Settings): number {
  return Date.now() + settings.CLOCK_OFFSET_MS;
}

/** Returns whether a host's name is one of this machine's own. */
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
 * Returns the base of addresses that are handed out: `PUBLIC_BASE_URL`, or the `origin` of the request where that is
 * not required. Throws in a production deployment that lacks it.
 */
export function publicBaseOf(settings: Settings, origin: string): string {
  if (lacksPublicBase(settings, origin))
    throw new Error("PUBLIC_BASE_URL is not set; production requires it");
  return settings.PUBLIC_BASE_URL ?? origin;
}
