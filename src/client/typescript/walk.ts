/**
 * A walk through the orders of one security on one day, page after page, that survives its lines. It goes on
 * by the cursor of the deployment that made it. When another one answers, or the cursor is not known any more,
 * it goes on by position: with a cursor without a date, and where that is not taken, with a time window that
 * begins at the millisecond. A day that changed meanwhile is read anew, once.
 */
import type { Answer } from "./envelope.ts";
import { BadRequest, DataRebuilt, ProtocolError, type ServiceError } from "./errors.ts";
import type { BodyFor, Call } from "./lines.ts";
import { type Page, pageOf, type Row, timesOf } from "./page.ts";
import { BEGINNING, lastTime, moved, type Position, undatedCursor } from "./position.ts";

/** What the service gives at most. */
export const MOST_ROWS = 10_000;

/** Cursors that a deployment does not know; what is asked for is fine. */
const UNKNOWN_CURSOR = ["cursor_invalid", "cursor_old_format"];

/** Refused cursors without a row between them, before the walk gives up. */
const MOST_FALLBACKS = 4;

export interface Selection {
  /** `symbol`, and where given `start_time` and `end_time`. */
  params: Readonly<Record<string, string>>;
  tradedate: string | null;
  /** Null: the standard ones. `time` must be among them. */
  fields: readonly string[] | null;
  pageSize: number;
}

/** How one request continues, and which rows it must repeat first. */
interface Way {
  kind: "cursor" | "undated" | "window";
  params: Readonly<Record<string, string>>;
  /** Rows before the overlap that were read, but are not kept. */
  unseen: number;
  overlap: readonly Row[];
}

/** A page of rows that were not there before; `isAnew`: they are the first ones again. */
export interface Step extends Page {
  isAnew: boolean;
}

/** The day is another one than the rows read so far are of. */
class DayChanged extends Error {
  readonly refusal: ServiceError | undefined;

  constructor(what: string, refusal?: ServiceError) {
    super(what);
    this.refusal = refusal;
  }
}

/** What a rebuild makes worthless. */
interface State {
  position: Position;
  /** The way on at the line whose cursor it holds. */
  next: { baseUrl: string; way: Way } | null;
  fallback: "undated" | "window";
  fallbacks: number;
  cursors: Set<string>;
  /** Of the last page: its base URL, and what it told of its content. */
  baseUrl: string | null;
  revision: number | null;
  build: string | null;
}

const beginning = (): State => ({
  position: BEGINNING,
  next: null,
  fallback: "undated",
  fallbacks: 0,
  cursors: new Set(),
  baseUrl: null,
  revision: null,
  build: null,
});

export class Walk {
  isComplete = false;
  restarts = 0;
  tradedate: string | null;
  readonly #call: Call;
  readonly #selection: Selection;
  #state = beginning();
  #isAnew = false;

  constructor(call: Call, selection: Selection) {
    this.#call = call;
    this.#selection = selection;
    this.tradedate = selection.tradedate;
  }

  /**
   * The next page (perhaps without rows), or null after the last one. An error leaves the walk where it was:
   * calling again goes on. Throws `DataRebuilt` when the day changed again after the walk began anew.
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

  async #read(signal: AbortSignal | undefined): Promise<Page> {
    for (;;) {
      let way = this.#wayOn("");
      const bodyFor: BodyFor = (baseUrl) => {
        way = this.#wayOn(baseUrl);
        return this.#body(way);
      };
      const answer = await this.#call("level2_order_history", bodyFor, signal);
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
        if (error.reason === "data_rebuilt") throw new DayChanged(error.message, error);
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
    if (fallback === "undated") {
      return { kind: "undated", params: { ...params, cursor: undatedCursor(position) }, unseen: 0, overlap };
    }
    const window = { ...params, start_time: position.time };
    return { kind: "window", params: window, unseen: position.skip, overlap };
  }

  #body({ params, unseen, overlap }: Way): Record<string, unknown> {
    const { pageSize, fields } = this.#selection;
    // What is read twice comes on top, so that every answer leads on.
    const page_size = Math.min(MOST_ROWS, pageSize + unseen + overlap.length);
    return { params: { ...params, page_size }, ...(fields === null ? {} : { fields }) };
  }

  /** Chooses another way on after a cursor was refused; false when there is none. */
  #forgetCursor({ kind }: Way): boolean {
    const state = this.#state;
    state.fallbacks++;
    if (state.position.overlap.length === 0 || kind === "window" || state.fallbacks > MOST_FALLBACKS)
      return false;
    state.next = null;
    state.fallback = kind === "cursor" ? "undated" : "window";
    return true;
  }

  /** Drops from `page` what was read before, and moves on behind the rest. */
  #advance({ baseUrl, build }: Answer, way: Way, page: Page): Page {
    const state = this.#state;
    const isRepeating = way.overlap.length + way.unseen > 0;
    const times = timesOf(page, isRepeating ? "" : lastTime(state.position));
    const passed = Math.min(way.unseen, page.rows.length);
    const repeated = Math.min(way.overlap.length, page.rows.length - passed);
    const left = { unseen: way.unseen - passed, overlap: way.overlap.slice(repeated) };
    const isSame = way.overlap
      .slice(0, repeated)
      .every((row, index) => page.rows[passed + index]?.every((value, column) => value === row[column]));
    const isOver = page.nextCursor === null;
    if (!isSame || (isOver && left.unseen + left.overlap.length > 0)) {
      throw new DayChanged(`${baseUrl} holds other orders of ${page.tradedate} than were read before`);
    }
    if (page.nextCursor !== null) {
      if (state.cursors.has(page.nextCursor)) {
        throw new ProtocolError(`${baseUrl} gave the same cursor twice, which would never end`);
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
      const facts = { code: 422, reason: "data_rebuilt", requestId: change.refusal?.requestId ?? null };
      throw new DataRebuilt(`the day changed again while it was read anew: ${change.message}`, facts, {
        cause: change,
      });
    }
    this.restarts++;
    this.#isAnew = true;
    this.isComplete = false;
    this.#state = beginning();
  }
}

/**
 * Throws `DayChanged` for a page of another content than the rows read so far. Contents are the same when their
 * build ids are. Revisions are a deployment's own numbers: without a build id (a proxy may drop it, an older service
 * does not send it) they tell on one base URL only, and what another one serves is unknown.
 */
function refuseOtherContent(before: State, { baseUrl, build }: Answer, page: Page): void {
  const { tradedate, revision } = page;
  if (before.baseUrl === null) return;
  if (before.build !== null && build !== null) {
    if (before.build === build) return;
    throw new DayChanged(`${baseUrl} serves build ${build} of ${tradedate}, not ${before.build}`);
  }
  if (before.baseUrl !== baseUrl) {
    throw new DayChanged(`${baseUrl} may serve another build of ${tradedate}: the build id is missing`);
  }
  if (before.revision !== null && revision !== null && before.revision !== revision) {
    throw new DayChanged(`${baseUrl} now serves revision ${revision} of ${tradedate}`);
  }
}
