/** Checks properties of paging that hold for every day, window and page size (contract 5). */
import { expect } from "vitest";
import type { DatasetName } from "../../src/datasets/registry.ts";
import type { Row } from "../support/builders.ts";
import { readAllPages } from "../support/paging.ts";
import type { Random } from "../support/random.ts";
import type { Service } from "../support/service.ts";

export interface Window {
  start_time?: string;
  end_time?: string;
}

/** Returns the rows from `start_time` (inclusive) to `end_time` (exclusive); both have nine digits. */
export function rowsWithin(rows: readonly Row[], { start_time, end_time }: Window): Row[] {
  return rows.filter(([, , time]) => String(time) >= (start_time ?? "") && String(time) < (end_time ?? "9"));
}

/**
 * Returns a window whose bounds are at, just before or just after rows, so that it may begin or end inside a burst.
 * Returns the whole day when the bounds are equal or not valid times.
 */
export function windowBesideRows(random: Random, rows: readonly Row[]): Window {
  const beside = () => {
    const time = Number(random.pick(rows)[2]) + random.pick([-1, 0, 0, 1]);
    return String(Math.max(0, time)).padStart(9, "0");
  };
  const [one, other] = [beside(), beside()];
  const isTime = (text: string) => Number(text.slice(2, 4)) < 60 && Number(text.slice(4, 6)) < 60;
  if (one === other || !isTime(one) || !isTime(other)) return {};
  const [start_time = "", end_time = ""] = [one, other].sort();
  return random.pick<Window>([{ start_time, end_time }, { start_time }, { end_time }]);
}

/** Asserts that the rows are equal. Comparing their JSON texts is 20 times faster than a deep comparison. */
export function expectRows(actual: readonly Row[], expected: readonly Row[], about: string): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  expect(actual, about).toEqual(expected);
  throw new Error(`the rows are equal, but their JSON texts differ: ${about}`);
}

/**
 * Pages through the rows and asserts that all pages together equal `expected`, that every page but the last is full and
 * has `has_more`, and that all cursors differ.
 */
export async function checkPaging(
  service: Service,
  apikey: string,
  params: Record<string, unknown> & { page_size: number },
  expected: readonly Row[],
  { dataset = "orders", fields }: { dataset?: DatasetName; fields?: readonly string[] } = {},
): Promise<void> {
  const about = `${dataset} ${JSON.stringify(params)}`;
  const paged = await readAllPages(service, { dataset, apikey, params, fields });
  const applied = Math.min(params.page_size, 10_000);
  expect(paged.rows.length, about).toBe(expected.length);
  expectRows(paged.rows, expected, about);
  expect(paged.pages.length, about).toBe(Math.max(1, Math.ceil(expected.length / applied)));
  expect(new Set(paged.cursors).size, about).toBe(paged.cursors.length);
  for (const [place, page] of paged.pages.entries()) {
    const last = place === paged.pages.length - 1;
    expect(page.has_more, about).toBe(!last);
    expect(page.next_cursor === null, about).toBe(last);
    expect(page.page_size, about).toBe(applied);
    if (!last) expect(page.items.length, about).toBe(applied);
  }
}
