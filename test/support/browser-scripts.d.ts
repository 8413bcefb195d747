/** Declares the functions of a browser script (src/console/browser) that tests in Node call. */
declare module "*/console/browser/request.js" {
  type Body = { apiname: string; apikey: string; params: Record<string, string | number> };
  export function bodyOf(apiname: string, values: readonly { name: string; value: string }[]): Body;
  export function programs(body: Body, url: string): { curl: string; python: string; typescript: string };
}
