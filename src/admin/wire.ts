/**
 * Strict schemas of the bodies that the CLI and `/admin` exchange. The CLI imports this file, so it must not import the
 * worker's own types.
 *
 * Every route requires `Authorization: Bearer` with the secret `ADMIN_TOKEN` or with a named token whose scope permits
 * the route. A refusal is `{error: sentence, reason}` with one of these HTTP statuses: 400 (malformed request), 401
 * (wrong token), 403 (missing scope), 404 (not found), 409 (conflict, often with another operator), 413 (body too
 * large), 422 (valid request that is refused).
 *
 * The handlers in the tables of routes (`DAY_ROUTES` …) parse bodies with these schemas and return these types. Routes
 * below `/days`, `/changes` and `/doctor/index`, and an account's `standing`, `credit` and `free`, accept `dataset=` in
 * the query; the default is orders.
 */
import * as z from "zod";

export * from "../base/webhook.ts";
export * from "./wire-accounts.ts";
export * from "./wire-days.ts";
export * from "./wire-files.ts";
export * from "./wire-service.ts";

/** The body of every refused admin request. It never contains a key, a token or a password. */
export const adminErrorSchema = z.strictObject({
  error: z.string(),
  /** The machine-readable reason, for scripts to compare; absent when the service itself failed. */
  reason: z.string().optional(),
});
export type AdminError = z.infer<typeof adminErrorSchema>;
