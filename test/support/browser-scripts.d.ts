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
  export function columnsFor(fields: readonly string[]): Places | null;
  export function secondsOf(time: string): number;
  export function clockText(seconds: number, exact?: boolean): string;
  export function kindOf(type: string, code: string): string;
  export function pricePoints(rows: readonly Row[], places: Places): Points;
  export function rowsPerMinute(
    rows: readonly Row[],
    places: Places,
  ): { x: number[]; rows: number[]; cancels: number[] };
  export function priceRange(points: Points): [number, number] | null;
}
