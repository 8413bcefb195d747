/** Whether all pages of a walk are of one content of the day, whichever lines they came over. */
import { type Answer, served } from "./envelope.ts";
import { ServiceError } from "./errors.ts";
import type { Call } from "./lines.ts";
import type { Page } from "./page.ts";

/** The day is another one than the rows read so far are of. */
export class DayChanged extends Error {
  readonly refusal: ServiceError | undefined;

  constructor(what: string, refusal?: ServiceError) {
    super(what);
    this.refusal = refusal;
  }
}

/** What two deployments must agree on: rows of the security, and bytes of its Parquet file. */
type Content = `${number} rows, ${number} bytes`;

export class SameDay {
  readonly #call: Call;
  readonly #params: Readonly<Record<string, string>>;
  readonly #lineCount: number;
  /** The revision that each line's pages are of: revisions are a deployment's own. */
  readonly #revisions = new Map<string, number>();
  /** Null: the line cannot tell. */
  readonly #contents = new Map<string, Content | null>();

  constructor(call: Call, params: Readonly<Record<string, string>>, lineCount: number) {
    this.#call = call;
    this.#params = params;
    this.#lineCount = lineCount;
  }

  /** Throws `DayChanged` when the page is of another content than earlier ones. Costs no quota. */
  async check(
    answer: Answer,
    page: Page,
    { isFirstOfLine, signal }: { isFirstOfLine: boolean; signal: AbortSignal | undefined },
  ): Promise<void> {
    this.#checkRevision(answer.baseUrl, page.revision, page.tradedate);
    // A walk of one page over one line has nothing to compare.
    const isAlone = page.nextCursor === null && isFirstOfLine && this.#revisions.size < 2;
    if (this.#lineCount > 1 && !isAlone) await this.#compare(answer.baseUrl, page.tradedate, signal);
  }

  #checkRevision(baseUrl: string, revision: number | null, tradedate: string): void {
    if (revision === null) return;
    const known = this.#revisions.get(baseUrl) ?? revision;
    this.#revisions.set(baseUrl, known);
    if (known !== revision)
      throw new DayChanged(`${baseUrl} now serves revision ${revision} of ${tradedate}`);
  }

  async #compare(baseUrl: string, tradedate: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#contents.has(baseUrl)) return;
    const { symbol } = this.#params;
    const params = { symbol, tradedate };
    const answer = await this.#call("order_history_estimate", () => ({ params }), signal);
    if (this.#revisions.has(answer.baseUrl)) {
      this.#checkRevision(answer.baseUrl, answer.revision, tradedate);
    }
    if (!this.#contents.has(baseUrl)) this.#contents.set(baseUrl, null);
    this.#contents.set(answer.baseUrl, contentOf(answer));
    const different = new Set([...this.#contents.values()].filter((each) => each !== null));
    if (different.size > 1) throw new DayChanged(`${answer.baseUrl} holds ${tradedate} with another content`);
  }
}

/** Null for a deployment without this operation: the overlap alone has to tell there. */
function contentOf(answer: Answer): Content | null {
  try {
    const { rows, parquet_bytes } = served(answer) as { rows?: { at_most?: number }; parquet_bytes?: number };
    // Of a whole day both bounds are the same number.
    if (typeof rows?.at_most !== "number" || typeof parquet_bytes !== "number") return null;
    return `${rows.at_most} rows, ${parquet_bytes} bytes`;
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
