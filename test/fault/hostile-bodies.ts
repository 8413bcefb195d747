/** Corrupts requests as a broken client, a proxy or an attacker could. */
import type { Random } from "../support/random.ts";

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 0.1, "", " ", "\u0000", "\ud800", "%00", "股票", [], [[[[]]]], {}],
  ...["'; DROP TABLE accounts; --", "../../etc/passwd", "x".repeat(3_000), "9".repeat(400)],
  ...[{ $ne: null }, { toString: 1 }, JSON.parse('{"__proto__":{"admin":true}}')],
];

const PIECES = [...'"{}[]:,\\-é\u2028', "\\u0000", "\\ud800", "null", "1e999"];

/** Returns the body with one to four of its values or names replaced. */
function corruptValues(random: Random, body: Record<string, unknown>): string {
  const copy = structuredClone(body) as Record<string, unknown>;
  const params = copy.params as Record<string, unknown>;
  for (let changes = random.integer(1, 4); changes > 0; changes--) {
    const target = random.chance(0.8) ? params : copy;
    const names = Object.keys(target);
    const name = random.pick(names.length > 0 ? names : ["symbol"]);
    if (random.chance(0.15)) delete target[name];
    else if (random.chance(0.1))
      target[`${name}${random.pick(["s", "_", " ", "\u0000", "é"])}`] = target[name];
    else target[name] = random.pick(ODD_VALUES);
  }
  return JSON.stringify(copy);
}

/** Returns the body's bytes with pieces removed, repeated, inserted or flipped. */
function corruptBytes(random: Random, text: string): Buffer {
  let bytes = Buffer.from(text);
  for (let changes = random.integer(1, 3); changes > 0; changes--) {
    const at = random.integer(0, bytes.length);
    const to = Math.min(bytes.length, at + random.integer(1, 20));
    const [head, piece, tail] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    const flipped = Buffer.from([...piece].map((byte) => byte ^ (1 << random.integer(0, 7))));
    const inserted = Buffer.from(random.pick(PIECES));
    bytes = random.pick([
      () => Buffer.concat([head, tail]),
      () => Buffer.concat([head, piece, piece, tail]),
      () => Buffer.concat([head, flipped, tail]),
      () => Buffer.concat([head, inserted, piece, tail]),
    ])();
  }
  return bytes;
}

/** Corrupts the text of a JSON object, a form or a document without regard to its meaning. */
export function corruptText(random: Random, text: string): Buffer | string {
  const kind = random.next();
  if (kind < 0.5) return corruptBytes(random, text);
  if (kind < 0.65) return doubledMembers(random, text);
  if (kind < 0.75) return text.replaceAll(/\d+/g, () => random.pick(HUGE_NUMBERS));
  const others = ["", "null", "[]", '{"__proto__":{"actor":"root"}}', "[".repeat(20_000), "\ufeff{}"];
  return random.pick([text, ...others]);
}

const HUGE_NUMBERS = [
  ...["1e400", "-1e400", "-0", "1E+9", "9007199254740993"],
  ...["9".repeat(500), "0.".padEnd(300, "0")],
];

/** Inserts a JSON property whose name already exists in the text or is the name of an inherited property. */
function doubledMembers(random: Random, text: string): string {
  const value = random.pick(['"x"', "null", "1e999", "{}", '[{"a":[]}]', '"__proto__"', "true"]);
  const names = [...text.matchAll(/"(\w+)":/g)].map(([, name = ""]) => name);
  const name = random.pick(["__proto__", "constructor", "toString", "hasOwnProperty", ...names]);
  const at = text.indexOf("{", random.integer(0, Math.max(0, text.length - 2)));
  return at < 0 ? text : `${text.slice(0, at + 1)}"${name}":${value},${text.slice(at + 1)}`;
}

/** Returns a corrupted body. */
export function corruptBody(random: Random, body: Record<string, unknown>): Buffer | string {
  const kind = random.next();
  if (kind < 0.45) return corruptValues(random, body);
  if (kind < 0.75) return corruptBytes(random, JSON.stringify(body));
  if (kind < 0.9) return corruptText(random, JSON.stringify(body));
  if (kind < 0.93) return "[".repeat(random.integer(1, 30_000));
  if (kind < 0.96) return `{"params":${'{"a":'.repeat(random.integer(1, 8_000))}`;
  return Buffer.from(Array.from({ length: random.integer(0, 300) }, () => random.integer(0, 255)));
}

/** Returns a cursor with characters changed, removed, repeated or moved; never the original cursor. */
export function corruptCursor(random: Random, cursor: string): string {
  const alphabet = "ABCabc019-_.~=+/ %\u0000é";
  for (;;) {
    let text = cursor;
    for (let changes = random.integer(1, 3); changes > 0; changes--) {
      const at = random.integer(0, text.length);
      const to = at + random.integer(0, 8);
      const letter = random.pick([...alphabet]);
      text = random.pick([
        text.slice(0, at) + letter + text.slice(at + 1),
        text.slice(0, at) + text.slice(to),
        text.slice(0, at) + text.slice(at, to) + text.slice(at),
        text.slice(at) + text.slice(0, at),
        `${text.slice(0, at)}${letter}${text.slice(at)}`,
      ]);
    }
    if (text !== cursor) return text;
  }
}
