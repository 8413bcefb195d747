/**
 * Makes hostile requests to every area of the service except `/api`: corrupt paths, methods, ranges, headers and
 * bodies.
 */
import type { Holder } from "../support/console.ts";
import { basic, type TestShare } from "../support/drive.ts";
import type { Random } from "../support/random.ts";
import { traversals } from "../support/traversals.ts";
import { corruptHeaders, hostileBody } from "./hostile-parts.ts";

export type Area = "share" | "console" | "admin" | "docs" | "health" | "nowhere";

export interface HostileRequest {
  area: Area;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer | string;
  /** The service may close the connection before it has read the whole body. */
  isOversized?: boolean;
}

/** Valid credentials and data, for requests that pass the first check. */
export interface Victim {
  share: TestShare;
  holder: Holder;
  adminToken: string;
  /** A separate account that hostile operator requests may change. */
  accountId: string;
}

/** HTTP statuses that an area may return; none of them is a fault. */
export const STATUSES: Readonly<Record<Area, readonly number[]>> = {
  share: [200, 206, 207, 303, 304, 308, 400, 401, 403, 404, 405, 409, 412, 416, 429, 431],
  console: [200, 302, 303, 401, 403, 404, 413, 429, 431],
  admin: [200, 201, 400, 401, 404, 409, 413, 422, 431],
  docs: [200, 302, 303, 404, 405, 431],
  health: [200, 404, 405, 431],
  nowhere: [200, 302, 303, 404, 405, 431],
};

const METHODS =
  "GET HEAD POST PUT DELETE PATCH OPTIONS PROPFIND MKCOL LOCK COPY REPORT PURGE SEARCH TRACE".split(" ");
/** The methods that WebDAV clients of a share send most often. */
const DRIVE_METHODS = "HEAD HEAD PROPFIND PROPFIND PROPFIND PROPFIND POST POST".split(" ");
const SEGMENTS = [
  ...". .. % %zz %ff %00 %2f %2e%2e %0d%0aX:%201 __proto__ constructor * '-- <script> {{7*7}} ;a=b".split(
    " ",
  ),
  ..."20260311 00000000 99999999 by-symbol manifest.json SHA256SUMS -assets 600519.SH.parquet".split(" "),
  ...["", "x".repeat(3_000), "%e8%82%a1", "%F0%9F%98%80"],
];
const VALUES = [
  ..."0 -1 NaN 1e309 null zh en %ff %F0%9F%98%80 a=b=c []".split(" "),
  ...["", "a".repeat(2_000)],
];
const KNOWN_PATHS: Readonly<Record<Exclude<Area, "share" | "nowhere">, readonly string[]>> = {
  console: ["", ..."keys data try shares api invite/x -assets/x keys/x/roll shares/x/revoke".split(" ")],
  admin: [
    ..."changes calendar accounts keys/x keys/import plans/trial files shares audit explain explain/x".split(
      " ",
    ),
    ..."tokens restores/x backup/accounts doctor/x external/level2/2020 files/level2/20200102/x".split(" "),
    ...["", "/uploads", "/restore", "/withdraw", "/uploads/x/parts/1"].map((step) => `days/20200102${step}`),
    ...["", "/keys", "/subscriptions", "/limits", "/invites", "/credit"].map(
      (step) => `accounts/{id}${step}`,
    ),
    "days",
  ],
  docs: ["", "zh", "en/", "zh/quickstart", "en/errors", "-assets/x", "zh/../../admin"],
  health: [""],
};
const ROOTS = { console: "/console/", admin: "/admin/", docs: "/docs/", health: "/health" } as const;

const climbing = traversals(400).filter((path) => !/[^\x21-\x7e]/.test(path));

/** Returns one to `most` random elements of `choices`, joined with `by`. */
const some = (random: Random, choices: readonly string[], by: string, most = 4) =>
  Array.from({ length: random.integer(1, most) }, () => random.pick(choices)).join(by);

/** Encodes a path for a request line. Paths that Node refuses to send are tested with raw sockets. */
const sendable = (path: string) => path.replaceAll(/[^\x21-\x7e]/g, (letter) => encodeURIComponent(letter));

function sharePath(random: Random, { share }: Victim): string {
  const id = random.chance(0.9)
    ? share.shareId
    : random.pick(["", "x", "0".repeat(20), "%00", "-assets", ...SEGMENTS]);
  const folders = ["", "20260311/", "20260311/by-symbol/"];
  const honest = [...folders, "manifest.json", "SHA256SUMS", "20260311/20260311_trades.zip"];
  const rest = random.pick([
    () => random.pick(honest),
    () => random.pick(honest),
    () => random.pick(honest),
    () => random.pick(climbing),
    () => some(random, SEGMENTS, "/"),
    () => `20260311/by-symbol/${random.pick(SEGMENTS)}`,
  ])();
  return `/s/${id}/${rest}`;
}

function credentials(random: Random, { share }: Victim): Record<string, string> {
  if (random.chance(0.7)) return basic(share.shareId, share.password);
  const wrong = [
    ...[
      "Basic",
      "Basic !!!!",
      "Basic =",
      "basic  Og==",
      `Basic ${"A".repeat(8_000)}`,
      "Bearer x",
      "Digest x",
    ],
    basic(share.shareId, "wrong").authorization ?? "",
    basic("", share.password).authorization ?? "",
  ];
  return random.chance(0.8) ? { authorization: random.pick(wrong) } : {};
}

const PROPFIND =
  '<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop><D:getetag/><x:y xmlns:x="z"/></D:prop></D:propfind>';

/** Returns the area of a path, resolving `..` as every URL parser does; null for `/api`. */
function areaOf(path: string): Area | null {
  const [, first = ""] = new URL(`http://h${path}`).pathname.split("/");
  if (first === "s") return "share";
  if (first === "api") return null;
  if (first === "openapi.json") return "docs";
  return Object.hasOwn(ROOTS, first) ? (first as keyof typeof ROOTS) : "nowhere";
}

function randomPath(random: Random, victim: Victim): string {
  const often = ["share", "share", "share", "admin", "admin"] as const;
  const kind = random.pick([...often, "console", "docs", "health", "nowhere"] as const);
  if (kind === "share") return sharePath(random, victim);
  if (kind === "nowhere") return `/${some(random, SEGMENTS, "/")}`;
  const known = random.pick(KNOWN_PATHS[kind]).replace("{id}", victim.accountId);
  return ROOTS[kind] + (random.chance(0.6) ? known : `${known}/${some(random, SEGMENTS, "/", 2)}`);
}

/** Returns one hostile request to a random area. */
export function hostileRequest(random: Random, victim: Victim): HostileRequest {
  const query = `?${some(random, ["op", "lang", "month", "since", "year"], "=&")}=${random.pick(VALUES)}`;
  const path = sendable(randomPath(random, victim) + (random.chance(0.3) ? query : ""));
  const area = areaOf(path);
  if (area === null) return hostileRequest(random, victim);
  const headers = corruptHeaders(random);
  if (area === "share") Object.assign(headers, credentials(random, victim));
  if (area === "console") Object.assign(headers, sessionOf(random, victim));
  if (area === "admin" && random.chance(0.8)) headers.authorization = `Bearer ${victim.adminToken}`;
  const method = random.chance(0.5)
    ? "GET"
    : random.pick([...(area === "share" ? DRIVE_METHODS : []), ...METHODS]);
  if (method === "PROPFIND" && random.chance(0.7)) headers.depth = random.pick(["0", "1"]);
  return withBody(random, { area, method, path, headers }, honestBody(random, { area, method }, victim));
}

/** Returns the session headers that a console page sends, with each one left out at random. */
function sessionOf(random: Random, { holder }: Victim): Record<string, string> {
  return {
    ...(random.chance(0.8) ? { cookie: holder.cookie } : {}),
    ...(random.chance(0.7) ? { "x-form-token": holder.formToken } : {}),
    ...(random.chance(0.7) ? { "sec-fetch-site": "same-origin" } : {}),
    ...(random.chance(0.7) ? { "content-type": "application/x-www-form-urlencoded" } : {}),
  };
}

function honestBody(
  random: Random,
  { area, method }: Pick<HostileRequest, "area" | "method">,
  { holder, share }: Victim,
): string {
  if (area === "share" && method !== "POST") return PROPFIND;
  if (area === "share") return `password=${random.pick([share.password, "wrong", "%", "x".repeat(5_000)])}`;
  if (area === "console")
    return `form=${random.chance(0.8) ? holder.formToken : "x"}&name=${random.pick(VALUES)}`;
  return JSON.stringify(
    random.pick<unknown>([
      { contact: "Ann", note: "" },
      { revision: 1, note: "x", force: false },
      {
        ...{ sizeBytes: 10, sha256: "0".repeat(64), buildId: "b", rows: 1, securities: 1 },
        ...{ degraded: false, force: true },
      },
      { days: [{ day: "20300102", open: true }], source: "hostile" },
      { subscriptions: [{ plan: "trial", start: 1e12, end: 1e12 + 1 }] },
      { requests: 5, files: null },
      {
        rows: [
          { key: "a-hostile-imported-key", account: "hostile", plan: "trial", start: 1e12, end: 1e12 + 1 },
        ],
      },
      { restoreId: "a".repeat(64), chunks: 1, tables: { accounts: ["account_id"] }, force: false },
      { name: "x" },
    ]),
  );
}

/** Adds a body, corrupt or not, to requests whose method has one. */
function withBody(random: Random, asked: HostileRequest, honest: string): HostileRequest {
  if (["GET", "HEAD", "OPTIONS", "TRACE"].includes(asked.method) || random.chance(0.2)) return asked;
  if (random.chance(0.3)) return { ...asked, body: honest };
  const { body, headers, isOversized = false } = hostileBody(random, honest);
  return { ...asked, headers: { ...asked.headers, ...headers }, body, isOversized };
}
