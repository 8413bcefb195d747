/** Amounts as people read them. */

const whole = new Intl.NumberFormat("en-US");
const UNITS = ["kB", "MB", "GB"] as const;

/** A count with its thousands apart: `149,359`. */
export function countText(count: number): string {
  return whole.format(count);
}

/** Bytes in the unit (powers of 1000) that leaves one to three digits before the point: `12.3 kB`, `999 bytes`. */
export function sizeText(sizeBytes: number): string {
  if (sizeBytes < 1000) return sizeBytes === 1 ? "1 byte" : `${sizeBytes} bytes`;
  let [size, unit] = [sizeBytes / 1000, 0];
  // 999.95 would be written as 1000.0.
  while (size >= 999.95 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size.toFixed(1)} ${UNITS[unit]}`;
}
