import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Returns whether two texts are equal. The time taken reveals neither their length nor a common prefix, because their
 * SHA-256 hashes are compared in constant time.
 */
export function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
