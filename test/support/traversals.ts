/** Builds path traversals out of a folder, in encodings that servers have failed to recognise. */

const DOTS = [
  "..",
  ".",
  "...",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%252e%252e",
  "%c0%ae%c0%ae",
  "..%00",
  "..;",
  "%u002e.",
];
const SLASHES = ["/", "%2f", "%2F", "\\", "%5c", "%255c", "%252f", "//", "%c0%af", "/./"];
const GOALS = [
  "admin/days",
  "etc/passwd",
  "orders/2026/20260311/1.parquet",
  "api",
  "manifest.json",
  "20260311/20260311_trades.zip",
];
const STARTS = ["", "20260311/", "20260311/by-symbol/", "by-symbol/"];

/** Returns `count` different paths below a share, as written in a request line. */
export function traversals(count: number): string[] {
  const paths: string[] = [];
  for (const depth of [1, 2, 3]) {
    for (const start of STARTS) {
      for (const dots of DOTS) {
        for (const slash of SLASHES) {
          const goal = GOALS[paths.length % GOALS.length] ?? "";
          paths.push(start + (dots + slash).repeat(depth) + goal);
        }
      }
    }
  }
  // The paths are taken evenly from all kinds, not from the beginning of the list.
  const step = paths.length / count;
  return Array.from({ length: count }, (_, place) => paths[Math.floor(place * step)] ?? "");
}
