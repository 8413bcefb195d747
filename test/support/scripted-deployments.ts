/**
 * Deployments in memory that serve one security's day over HTTP as the service does: pages, cursors, refusals. A test
 * scripts which deployment answers each request and what changes before it. The other deployments break the connection.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import { listening } from "./listening.ts";

export const SYMBOL = "600519";
export const DAY = "20260311";

export type Row = (string | number)[];

/** Returns a row of the ten standard fields. */
export function order(time: string, number: number, price = 12.5): Row {
  return [SYMBOL, DAY, time, 0, number, "A", "B", price, 100, 100 * price];
}

/** Returns `count` rows in groups of `every` rows with the same time. */
export function steps(count: number, every = 3): Row[] {
  return Array.from({ length: count }, (_, place) =>
    order(`0930${String(Math.floor(place / every)).padStart(5, "0")}`, place),
  );
}

/** Converts an order into a row of `dataset` that keeps the order's number, time, price and quantity. */
export function rowAs(dataset: DatasetName, row: Row): Row {
  if (dataset === "orders") return row;
  const [symbol = "", day = "", time = "", , number = 0, , side = "", price = 0, volume = 0, amount = 0] =
    row;
  return [symbol, day, time, number, price, volume, amount, side, "", number, Number(number) + 1];
}

/** One deployment's day. */
export interface ScriptedDay {
  rows: Row[];
  revision?: number;
  /** Supported features; by default undated cursors and build ids. */
  knows?: readonly ("undated" | "build")[];
  /**
   * The secret of the deployment's cursors, by default the deployment's name. A new secret invalidates all earlier
   * cursors.
   */
  secret?: string;
  /** The maximum number of rows in an answer; 10,000 by default. */
  mostRows?: number;
  /** Values that replace the properties of the same names in each page. */
  corrupt?: Record<string, unknown>;
}

/** A request as the clients send it. */
export interface Asked {
  apiname: string;
  params: Record<string, string | number | undefined>;
  fields?: string[];
}

/** A refusal of one request. */
export interface ScriptedRefusal {
  code: number;
  reason: string;
  headers?: Record<string, string>;
}

export interface Script {
  days: ScriptedDay[];
  /**
   * Returns the index of the deployment that answers a request; 0 by default. `place` is the number of requests that
   * were answered before it.
   */
  choose?: (place: number) => number;
  /** Runs before each request is answered. It may change `days`; if it returns a refusal, that is the answer. */
  before?: (place: number, days: ScriptedDay[]) => ScriptedRefusal | undefined;
}

export interface ScriptedDeployments {
  /** Starts another script, with rows of `dataset`, and clears the recorded requests. */
  play(script: Script, dataset?: DatasetName): void;
  /** The requests that each deployment answered. */
  readonly asked: Asked[][];
  urls(): string[];
  stop(): Promise<void>;
}

/** Starts one server for all scripts. */
export async function startScriptedDeployments(): Promise<ScriptedDeployments> {
  let script: Script = { days: [] };
  let dataset: DatasetName = "orders";
  let asked: Asked[][] = [];
  let place = 0;
  let chosen = 0;
  let refusal: ScriptedRefusal | undefined;
  let isPrepared = false;
  const server = await listening(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Asked;
    if (!isPrepared) {
      // The script's functions are called once for each `place`, even if the client tries several deployments.
      refusal = script.before?.(place, script.days);
      chosen = script.choose?.(place) ?? 0;
      isPrepared = true;
    }
    const which = Number(/^\/(\d+)\//.exec(request.url ?? "")?.[1]);
    const day = script.days[which];
    if (which !== chosen || day === undefined) return void request.socket.destroy();
    isPrepared = false;
    place++;
    asked[which]?.push(body);
    answer(response, refusal ?? pageOf(day, dataset, String(which), body), day);
  });
  return {
    play: (next, of = "orders") => {
      dataset = of;
      script = { ...next, days: next.days.map((day) => ({ ...day })) };
      asked = next.days.map(() => []);
      place = 0;
      isPrepared = false;
    },
    get asked() {
      return asked;
    },
    urls: () => script.days.map((_, which) => `${server.url}/${which}`),
    stop: async () => server[Symbol.asyncDispose](),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += piece;
  return text;
}

type Answered = ScriptedRefusal | { data: Record<string, unknown> };

function answer(response: ServerResponse, answered: Answered, day: ScriptedDay): void {
  const { revision = 1, knows = ["undated", "build"] } = day;
  if ("code" in answered) {
    const { code, reason, headers } = answered;
    response.setHeaders(new Headers({ "x-reason": reason, "x-request-id": "rid", ...headers }));
    response.end(JSON.stringify({ code, message: `no [${reason} · rid]`, data: null }));
    return;
  }
  const build = createHash("md5").update(JSON.stringify(day.rows)).digest("hex");
  response.setHeader("x-revision", revision);
  response.setHeader("x-request-id", "rid");
  if (knows.includes("build")) response.setHeader("x-build", build);
  response.end(JSON.stringify({ code: 200, message: "success", data: answered.data }));
}

function pageOf(day: ScriptedDay, dataset: DatasetName, name: string, asked: Asked): Answered {
  const standard = DATASETS[dataset].columns.filter(({ onRequest }) => !onRequest).map((each) => each.name);
  const { params, fields = standard } = asked;
  const { revision = 1, secret = name, mostRows = 10_000 } = day;
  const [start, end] = [`${params.start_time ?? ""}`, `${params.end_time ?? "999999999"}`];
  const rows = day.rows.filter(([, , time]) => start <= `${time}` && `${time}` < end);
  const cursor = `${params.cursor ?? ""}`;
  // Only orders have undated cursors.
  if (dataset !== "orders" && cursor.startsWith("v2.")) return { code: 422, reason: "cursor_mismatch" };
  const first = cursor === "" ? 0 : placeOf(cursor, day, { secret, start, rows });
  if (typeof first === "string") return { code: 422, reason: first };
  const page = rows.slice(first, first + Math.min(Number(params.page_size), mostRows));
  const after = first + page.length;
  const columns = fields.map((field) => standard.indexOf(field));
  const data = {
    fields,
    items: page.map((row) => columns.map((column) => rowAs(dataset, row)[column])),
    tradedate: DAY,
    page_size: params.page_size,
    next_cursor: after < rows.length ? `${secret}/${revision}/${start}/${after}` : null,
    has_more: after < rows.length,
  };
  return { data: { ...data, ...day.corrupt } };
}

/** Returns where a cursor continues, or the reason why it is refused. */
function placeOf(
  cursor: string,
  { revision = 1, knows = ["undated", "build"] }: ScriptedDay,
  { secret, start, rows }: { secret: string; start: string; rows: Row[] },
): number | string {
  const [, time, skip] = /^v2\.(\d+)-(\d+)$/.exec(cursor) ?? [];
  if (time !== undefined) {
    if (!knows.includes("undated")) return "cursor_old_format";
    const same = rows.filter((row) => row[2] === time).length;
    if (Number(skip) > same) return "cursor_invalid";
    return rows.filter((row) => `${row[2]}` < time).length + Number(skip);
  }
  const [by, at, from, place] = cursor.split("/");
  if (by !== secret) return "cursor_invalid";
  if (Number(at) !== revision) return "data_rebuilt";
  return from === start ? Number(place) : "cursor_mismatch";
}
