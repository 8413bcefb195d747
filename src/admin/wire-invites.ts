/** Bodies of `/admin/accounts/{id}/invites`: one-time links into the console. */
import * as z from "zod";

const HOUR_MS = 3_600_000;

/** A link is open for a day unless said otherwise, and for a week at most. */
export const newInviteSchema = z.strictObject({
  validMs: z
    .int()
    .min(60_000)
    .max(7 * 24 * HOUR_MS)
    .default(24 * HOUR_MS),
});
export type NewInvite = z.input<typeof newInviteSchema>;

export const inviteSchema = z.strictObject({
  accountId: z.string(),
  /** To be opened by the key holder, once; it cannot be shown again. */
  url: z.url(),
  /** RFC 3339, Beijing time, exclusive. */
  expiresAt: z.string(),
});
export type Invite = z.infer<typeof inviteSchema>;
