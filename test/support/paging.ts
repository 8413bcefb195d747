/** Pages through a day as a client does: by `next_cursor` until `has_more` is false. */
import { DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import type { Row } from "./builders.ts";
import type { Answer } from "./http-client.ts";
import type { Service } from "./service.ts";

/** `data` of an order-history answer (contract 5.1). */
export interface Page {
  fields: string[];
  items: Row[];
  tradedate: string;
  page_size: number;
  next_cursor: string | null;
  has_more: boolean;
}

export interface PagingRequest {
  /** Orders when absent. */
  dataset?: DatasetName;
  apikey: string;
  params: Record<string, unknown>;
  fields?: unknown;
}

export interface PagesRead {
  rows: Row[];
  /** Every `next_cursor` that was not null, in order. */
  cursors: string[];
  pages: Page[];
}

/** Returns a request body for the history of a dataset, by default orders. */
export function orderHistory({ dataset = "orders", ...request }: PagingRequest): Record<string, unknown> {
  return { apiname: DATASETS[dataset].apiname, ...request };
}

/** Returns the page of a successful answer. Throws with the first 500 characters of any other answer. */
export function pageOf(answer: Answer): Page {
  if (answer.envelope.code !== 200)
    throw new Error(`expected a page, got HTTP ${answer.status} ${answer.text.slice(0, 500)}`);
  return answer.envelope.data as unknown as Page;
}

/** More pages than any test has. */
const MAX_PAGES = 100_000;

/** Reads all pages from the first one, or from `params.cursor`, to the end. */
export async function readAllPages(service: Service, request: PagingRequest): Promise<PagesRead> {
  const paged: PagesRead = { rows: [], cursors: [], pages: [] };
  let cursor = request.params.cursor;
  while (paged.pages.length < MAX_PAGES) {
    const page = pageOf(
      await service.post(orderHistory({ ...request, params: { ...request.params, cursor } })),
    );
    paged.pages.push(page);
    for (const row of page.items) paged.rows.push(row);
    if (page.next_cursor !== null) paged.cursors.push(page.next_cursor);
    if (!page.has_more) return paged;
    cursor = page.next_cursor;
  }
  throw new Error(`paging did not end within ${MAX_PAGES} pages`);
}
