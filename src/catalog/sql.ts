/**
 * Template tags that build SQL and bind each interpolated value. `sql(db)` returns a statement, `part` a piece of one.
 */

/** A value that a statement binds. */
export type Value = string | number | null;

/** A piece of SQL with the values that it binds, in order. */
export class Part {
  readonly text: string;
  readonly values: readonly Value[];

  constructor(text: string, values: readonly Value[] = []) {
    this.text = text;
    this.values = values;
  }
}

/**
 * Returns a piece of SQL in which values are bound and other pieces are inserted.
 *
 * @example part`pack_id = ${packId} AND ${isSound}`
 */
export function part(texts: TemplateStringsArray, ...given: (Value | Part)[]): Part {
  const pieces = given.map((each) => (each instanceof Part ? each : new Part("?", [each])));
  const text = texts.map((before, n) => before + (pieces[n]?.text ?? "")).join("");
  const values = pieces.flatMap((piece) => piece.values);
  return new Part(text, values);
}

/** Returns `text`, such as the name of a column, as a piece of SQL. Text from a caller must never be passed. */
export function plain(text: string): Part {
  return new Part(text);
}

/**
 * Returns the tag that makes a statement of `db`. D1 binds at most 100 values in a statement.
 *
 * @example sql(db)`SELECT revision FROM order_days WHERE tradedate = ${day}`.first<number>("revision")
 */
export function sql(db: D1Database) {
  return (texts: TemplateStringsArray, ...given: (Value | Part)[]): D1PreparedStatement => {
    const { text, values } = part(texts, ...given);
    return db.prepare(text).bind(...values);
  };
}

/** Returns a row of D1 with the columns in `json` parsed, and those in `flags` (0 or 1) as booleans. */
export function decoded<Row>(
  row: Record<string, unknown>,
  json: (keyof Row & string)[],
  flags: (keyof Row & string)[] = [],
): Row {
  const values = { ...row };
  for (const name of json) values[name] = JSON.parse((row[name] as string | null) ?? "null");
  for (const name of flags) values[name] = row[name] === 1;
  return values as Row;
}

/** Returns the rows of a query. */
export async function rows<Row = Record<string, unknown>>(query: D1PreparedStatement): Promise<Row[]> {
  return (await query.all<Row>()).results;
}

/** Returns the values of the only column of a query. */
export async function column<Of extends Value>(query: D1PreparedStatement): Promise<Of[]> {
  return (await query.raw<[Of]>()).map(([value]) => value);
}
