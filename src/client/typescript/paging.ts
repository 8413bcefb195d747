/**
 * Pages through the rows of one security on one day, and continues when connections break. Paging continues with the
 * last cursor while the deployment that issued it answers. When another deployment answers, or the cursor is no longer
 * accepted, paging continues by position. For orders, the position is sent as a cursor without a date. For other
 * datasets, or when that cursor is refused, it is sent as a time window that begins at the position's millisecond. A
 * day that has changed is read again from its first row, once.
 */
import { type Answer, type BodyFor, type Call, served } from "./calls.ts";
import { operationsOf } from "./datasets.ts";
import { BadRequest, DataRebuilt, ProtocolError } from "./errors.ts";
import type { DatasetName } from "./types.ts";

export type Value = string | number;
export type Row = Value[];

interface CursorPage {
  tradedate: string;
  revision: number | null;
  fields: string[];
  rows: Row[];
  /** The cursor of the next page; null on the last one. */
  nextCursor: string | null;
}

/**
 * Returns the page in an answer. Throws the refusal, or `ProtocolError` if the answer is not a page with the fields
 * `asked`.
 */
function pageOf(answer: Answer, asked: readonly string[] | null): CursorPage {
  const data = served(answer) as Partial<Record<string, unknown>> | null;
  const wrong = (what: string) =>
    new ProtocolError(`${answer.baseUrl} sent a page ${what}`, { ...answer, code: null });
  const { fields, items, tradedate, next_cursor: cursor, has_more: hasMore } = data ?? {};
  if (!Array.isArray(fields) || !Array.isArray(items) || typeof tradedate !== "string") {
    throw wrong("without fields, items or tradedate");
  }
  if (asked !== null && fields.join() !== asked.join())
    throw wrong(`of ${fields.join()} for ${asked.join()}`);
  if (items.some((row) => !Array.isArray(row) || row.length !== fields.length)) {
    throw wrong("whose rows do not fit its fields");
  }
  const nextCursor = typeof cursor === "string" && cursor !== "" ? cursor : null;
  if ((hasMore === true) !== (nextCursor !== null)) throw wrong("with an unexpected or a missing cursor");
  return { tradedate, revision: answer.revision, fields, rows: items, nextCursor };
}

/** Returns the time of each row. Throws `ProtocolError` when times decrease, or begin before `notBefore`. */
function timesOf({ fields, rows }: CursorPage, notBefore: string): string[] {
  const column = fields.indexOf("time");
  let last = notBefore;
  return rows.map((row) => {
    const time = row[column];
    if (typeof time !== "string" || !/^\d{9}$/.test(time))
      throw new ProtocolError(`a row has the time ${time} instead of nine digits`);
    if (time < last) throw new ProtocolError(`a row of ${time} came after a row of ${last}`);
    last = time;
    return time;
  });
}

/** Maximum number of rows that are read again and compared when paging continues by position. */
const MOST_OVERLAP = 64;

/** A position between two rows: after the first `skip` rows of the millisecond `time`. */
export interface Position {
  /** HHMMSSmmm; empty before the first row. */
  time: string;
  skip: number;
  /** The rows read after the position. */
  overlap: readonly Row[];
  times: readonly string[];
}

export const BEGINNING: Position = { time: "", skip: 0, overlap: [], times: [] };

/** Returns the position after `rows` with these `times`. */
export function moved(from: Position, rows: readonly Row[], times: readonly string[]): Position {
  const knownRows = [...from.overlap, ...rows];
  const knownTimes = [...from.times, ...times];
  const first = Math.max(0, knownRows.length - MOST_OVERLAP);
  const time = knownTimes[first];
  if (time === undefined) return from;
  const begin = knownTimes.indexOf(time);
  // If the millisecond has rows before the known rows, `from.skip` is the number of those rows.
  const skip = first - begin + (begin === 0 && time === from.time ? from.skip : 0);
  return { time, skip, overlap: knownRows.slice(first), times: knownTimes.slice(first) };
}

/** Maximum rows of a page. */
export const MOST_ROWS = 10_000;

/** Reasons for refusing a cursor that the deployment did not issue. The rest of the request is valid. */
const UNKNOWN_CURSOR = ["cursor_invalid", "cursor_old_format"];

/** Maximum number of refused cursors without a new row between them. */
const MOST_FALLBACKS = 4;

export interface Selection {
  dataset: DatasetName;
  /** `symbol`, and `start_time` and `end_time` if given. */
  params: Readonly<Record<string, string>>;
  tradedate: string | null;
  /** The requested columns, `time` included; null for the standard ones. */
  fields: readonly string[] | null;
  pageSize: number;
}

/** How one request continues the paging, and which of the rows already received its answer must repeat first. */
interface Way {
  kind: "cursor" | "undated" | "window";
  params: Readonly<Record<string, string>>;
  /** Number of rows that the answer repeats before `overlap`. They are skipped without a comparison. */
  unseen: number;
  overlap: readonly Row[];
}

/** A page of new rows. If `isAnew` is true, the rows start again at the day's first row. */
export interface Step extends CursorPage {
  isAnew: boolean;
}

/** The day's content has changed since the first rows were read. `cause` is the refusal that says so, if there is one. */
class DayChanged extends Error {}

/** State that a rebuild invalidates. */
class State {
  position = BEGINNING;
  /** How paging continues at the base URL that issued the cursor. */
  next: { baseUrl: string; way: Way } | null = null;
  fallback: "undated" | "window" = "undated";
  fallbacks = 0;
  readonly cursors = new Set<string>();
  /** The base URL, revision and build of the last page. */
  baseUrl: string | null = null;
  revision: number | null = null;
  build: string | null = null;
}

export class Paging {
  isComplete = false;
  restarts = 0;
  tradedate: string | null;
  readonly #call: Call;
  readonly #selection: Selection;
  #state = new State();
  #isAnew = false;

  constructor(call: Call, selection: Selection) {
    this.#call = call;
    this.#selection = selection;
    this.tradedate = selection.tradedate;
  }

  /**
   * Returns the next page (perhaps without rows), or null after the last one. After an error, the next call continues
   * at the same place. Throws `DataRebuilt` when the day changed again after paging had restarted.
   */
  async next(signal: AbortSignal | undefined): Promise<Step | null> {
    while (!this.isComplete) {
      try {
        const page = await this.#read(signal);
        const isAnew = this.#isAnew;
        this.#isAnew = false;
        return { ...page, isAnew };
      } catch (error) {
        if (!(error instanceof DayChanged)) throw error;
        this.#restart(error);
      }
    }
    return null;
  }

  async #read(signal: AbortSignal | undefined): Promise<CursorPage> {
    for (;;) {
      let way = this.#wayOn("");
      const bodyFor: BodyFor = (baseUrl) => {
        way = this.#wayOn(baseUrl);
        return this.#body(way);
      };
      const answer = await this.#call(operationsOf(this.#selection.dataset).read, bodyFor, signal);
      try {
        const page = pageOf(answer, this.#selection.fields);
        if (this.tradedate !== null && this.tradedate !== page.tradedate) {
          throw new ProtocolError(
            `${answer.baseUrl} answered for ${page.tradedate} instead of ${this.tradedate}`,
          );
        }
        refuseOtherContent(this.#state, answer, page);
        return this.#advance(answer, way, page);
      } catch (error) {
        if (!(error instanceof BadRequest)) throw error;
        if (error.reason === "data_rebuilt") throw new DayChanged(error.message, { cause: error });
        if (!UNKNOWN_CURSOR.includes(error.reason ?? "") || !this.#forgetCursor(way)) throw error;
      }
    }
  }

  #wayOn(baseUrl: string): Way {
    const { next, position, fallback } = this.#state;
    if (next?.baseUrl === baseUrl) return next.way;
    const { overlap } = position;
    const params = {
      ...this.#selection.params,
      ...(this.tradedate === null ? {} : { tradedate: this.tradedate }),
    };
    if (overlap.length === 0) return { kind: "cursor", params, unseen: 0, overlap };
    // Undated cursors (contract 5.5) exist for orders only.
    if (fallback === "undated" && this.#selection.dataset === "orders") {
      const cursor = `v2.${position.time}-${position.skip}`;
      return { kind: "undated", params: { ...params, cursor }, unseen: 0, overlap };
    }
    const window = { ...params, start_time: position.time };
    return { kind: "window", params: window, unseen: position.skip, overlap };
  }

  #body({ params, unseen, overlap }: Way): Record<string, unknown> {
    const { pageSize, fields } = this.#selection;
    // The answer repeats rows that were already read. Their number is added to the page size, so that every answer has
    // new rows.
    const page_size = Math.min(MOST_ROWS, pageSize + unseen + overlap.length);
    return { params: { ...params, page_size }, ...(fields === null ? {} : { fields }) };
  }

  /** Chooses another way to continue after a refused cursor. Returns false when there is none. */
  #forgetCursor({ kind }: Way): boolean {
    const state = this.#state;
    state.fallbacks++;
    if (state.position.overlap.length === 0 || kind === "window" || state.fallbacks > MOST_FALLBACKS)
      return false;
    state.next = null;
    state.fallback = kind === "cursor" ? "undated" : "window";
    return true;
  }

  /** Removes the rows of `page` that were read before, and moves the position past the remaining rows. */
  #advance({ baseUrl, build }: Answer, way: Way, page: CursorPage): CursorPage {
    const state = this.#state;
    const isRepeating = way.overlap.length + way.unseen > 0;
    const times = timesOf(page, isRepeating ? "" : (state.position.times.at(-1) ?? ""));
    const passed = Math.min(way.unseen, page.rows.length);
    const repeated = Math.min(way.overlap.length, page.rows.length - passed);
    const left = { unseen: way.unseen - passed, overlap: way.overlap.slice(repeated) };
    const isSame = way.overlap
      .slice(0, repeated)
      .every((row, index) => page.rows[passed + index]?.every((value, column) => value === row[column]));
    const isOver = page.nextCursor === null;
    if (!isSame || (isOver && left.unseen + left.overlap.length > 0)) {
      const { dataset } = this.#selection;
      throw new DayChanged(`${baseUrl} has different ${dataset} of ${page.tradedate} from those read before`);
    }
    // A fallback requests rows again, so the service may return earlier cursors again.
    if (way.kind !== "cursor") state.cursors.clear();
    if (page.nextCursor !== null) {
      if (state.cursors.has(page.nextCursor)) {
        throw new ProtocolError(`${baseUrl} returned the same cursor twice, so paging would never end`);
      }
      state.cursors.add(page.nextCursor);
      const params = { ...way.params, tradedate: page.tradedate, cursor: page.nextCursor };
      state.next = { baseUrl, way: { kind: "cursor", params, ...left } };
    }
    const rows = page.rows.slice(passed + repeated);
    this.tradedate = page.tradedate;
    this.isComplete = isOver;
    state.position = moved(state.position, rows, times.slice(passed + repeated));
    state.fallback = "undated";
    if (rows.length > 0) state.fallbacks = 0;
    state.baseUrl = baseUrl;
    state.revision = page.revision;
    state.build = build ?? state.build;
    return { ...page, rows };
  }

  #restart(change: DayChanged): void {
    if (this.restarts > 0) {
      const requestId = change.cause instanceof BadRequest ? change.cause.requestId : null;
      const facts = { code: 422, reason: "data_rebuilt", requestId };
      const told = `the day changed again after a restart: ${change.message}`;
      throw new DataRebuilt(told, facts, { cause: change });
    }
    this.restarts++;
    this.#isAnew = true;
    this.isComplete = false;
    this.#state = new State();
  }
}

/**
 * Throws `DayChanged` for a page whose content differs from the rows read so far. Pages with equal build ids have the
 * same content. A proxy can drop the build id, and an older service sends none. In these cases revisions are compared,
 * but only if both are from the same base URL.
 */
function refuseOtherContent(before: State, { baseUrl, build }: Answer, page: CursorPage): void {
  const { tradedate, revision } = page;
  if (before.baseUrl === null) return;
  if (before.build !== null && build !== null) {
    if (before.build === build) return;
    throw new DayChanged(`${baseUrl} serves build ${build} of ${tradedate}, not ${before.build}`);
  }
  if (before.baseUrl !== baseUrl) {
    throw new DayChanged(`${baseUrl} may serve a different build of ${tradedate}: the build id is missing`);
  }
  if (before.revision !== null && revision !== null && before.revision !== revision) {
    throw new DayChanged(`${baseUrl} now serves revision ${revision} of ${tradedate}`);
  }
}
