/** Declares what tests in Node use of a script that is type-checked for browsers (src/console/browser). */
declare module "*/console/browser/request.js" {
  type Body = { apiname: string; apikey: string; params: Record<string, string | number> };
  export function bodyOf(apiname: string, values: readonly { name: string; value: string }[]): Body;
  export function programs(body: Body, url: string): { curl: string; python: string; typescript: string };
}
