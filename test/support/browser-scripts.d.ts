/** What tests use of the scripts that run in the browser. */
declare module "*/console/browser/request.js" {
  interface Body {
    apiname: string;
    apikey: string;
    params: Record<string, string | number>;
  }
  interface Value {
    name: string;
    value: string;
    numeric?: boolean;
    beside?: boolean;
  }
  export function bodyOf(apiname: string, values: readonly Value[]): Body;
  export function fileOf(body: Body): string | null;
  export function programs(body: Body, url: string): { curl: string; python: string; typescript: string };
}

declare module "*/console/browser/series.js" {
  type Row = readonly (string | number)[];
  type Places = Record<string, number>;
  interface Points extends Record<"buy" | "sell" | "cancel" | "other", (number | null)[]> {
    x: number[];
    drawn: number;
  }
  interface Kinds<T> extends Record<"buy" | "sell" | "cancel" | "other", T> {}
  interface Counts extends Kinds<number[]> {
    x: number[];
  }
  interface Summary {
    kind: string;
    rows: number;
    volume: number | null;
    low: number | null;
    high: number | null;
  }
  export const KINDS: readonly (keyof Kinds<unknown>)[];
  export function columnsFor(fields: readonly string[]): Places | null;
  export function secondsOf(time: string): number;
  export function clockText(seconds: number, exact?: boolean): string;
  export function kindOf(type: string, code: string): string;
  export function pricePoints(rows: readonly Row[], places: Places): Points;
  export function rowsPerMinute(rows: readonly Row[], places: Places): Counts;
  export function ordersSoFar(minutes: Counts): Counts;
  export function stacked(minutes: Counts, kinds: readonly (keyof Kinds<unknown>)[]): number[][];
  export function summaryOf(rows: readonly Row[], places: Places): Summary[];
  export function priceRange(points: Points): [number, number] | null;
}

declare module "*/console/browser/answer-text.js" {
  export function prettyText(value: unknown): string;
  export function csvText(fields: readonly string[], rows: readonly (readonly unknown[])[]): string;
}

declare module "*/console/browser/table.js" {
  interface Table {
    name: string;
    fields: string[];
    rows: unknown[][];
  }
  export function tablesOf(data: object): Table[];
}
