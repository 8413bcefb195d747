import { timingSafeEqual } from "node:crypto";

/**
 * Returns whether two texts are equal. The time taken reveals neither their length nor a common prefix, because their
 * SHA-256 hashes are compared in constant time.
 */
export async function sameText(one: string, other: string): Promise<boolean> {
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const [a, b] = await Promise.all([digest(one), digest(other)]);
  return timingSafeEqual(a, b);
}
