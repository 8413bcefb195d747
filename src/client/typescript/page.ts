/** One page of an answer, checked: what a walk relies on is never taken on trust. */
import { type Answer, served } from "./envelope.ts";
import { ProtocolError } from "./errors.ts";

export type Value = string | number;
export type Row = Value[];

export interface Page {
  tradedate: string;
  revision: number | null;
  fields: string[];
  rows: Row[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** The page of a served answer. Throws the refusal, or `ProtocolError` for what is no page of `asked` fields. */
export function pageOf(answer: Answer, asked: readonly string[] | null): Page {
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
  if ((hasMore === true) !== (nextCursor !== null)) throw wrong("with a cursor too many or too few");
  return { tradedate, revision: answer.revision, fields, rows: items, nextCursor };
}

/** The time of each row. Throws `ProtocolError` when they go back, or begin before `notBefore`. */
export function timesOf({ fields, rows }: Page, notBefore: string): string[] {
  const column = fields.indexOf("time");
  let last = notBefore;
  return rows.map((row) => {
    const time = row[column];
    if (typeof time !== "string" || !/^\d{9}$/.test(time)) throw new ProtocolError(`a row's time is ${time}`);
    if (time < last) throw new ProtocolError(`a row of ${time} came after one of ${last}`);
    last = time;
    return time;
  });
}
