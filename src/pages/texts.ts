/** Texts of pages, each written in Chinese and English side by side. */
import type { PageLanguage } from "./look.ts";

/** A text in both languages. */
export type Pair = readonly [zh: string, en: string];

/** Texts by name. A text that contains numbers or dates is a function. */
export interface Texts {
  readonly [name: string]: Pair | ((...facts: never[]) => Pair) | Texts;
}

/** The texts in one language. */
export type InOne<T> = T extends Pair
  ? string
  : T extends (...facts: infer F) => Pair
    ? (...facts: F) => string
    : { readonly [Name in keyof T]: InOne<T[Name]> };

/** Returns the texts by language. */
export function byLanguage<const T extends Texts>(texts: T): Readonly<Record<PageLanguage, InOne<T>>> {
  return { zh: inOne(texts, 0) as InOne<T>, en: inOne(texts, 1) as InOne<T> };
}

function inOne(texts: Texts, place: 0 | 1): unknown {
  const one = Object.entries(texts).map(([name, text]) => {
    if (typeof text === "function") return [name, (...facts: never[]) => text(...facts)[place]];
    return [name, isPair(text) ? text[place] : inOne(text, place)];
  });
  return Object.fromEntries(one);
}

function isPair(text: Pair | Texts): text is Pair {
  return Array.isArray(text);
}
