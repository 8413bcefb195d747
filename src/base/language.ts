/** The language of messages (contract 1.8). */

/** `both` is Chinese, then English. */
export type Language = "zh" | "en" | "both";

/** One message in both languages. */
export interface Bilingual {
  zh: string;
  en: string;
}

/**
 * Returns the language that an `Accept-Language` header prefers: Chinese or English, whichever has the higher weight,
 * or the one named first when the weights are equal. Returns `both` when the header is absent or names neither
 * language.
 *
 * @example preferredLanguage("en-US,en;q=0.9,zh-CN;q=0.8") // "en"
 */
export function preferredLanguage(acceptLanguage: string | null): Language {
  let best: { language: Language; weight: number } = { language: "both", weight: 0 };
  for (const range of (acceptLanguage ?? "").split(",")) {
    const [tag = "", ...parameters] = range.split(";");
    const language = languageOf(tag);
    const weight = weightOf(parameters);
    if (language !== null && weight > best.weight) best = { language, weight };
  }
  return best.language;
}

/** Returns `message` in `language`. */
export function inLanguage(message: Bilingual, language: Language): string {
  return language === "both" ? `${message.zh} ${message.en}` : message[language];
}

function languageOf(tag: string): "zh" | "en" | null {
  const [primary] = tag.trim().toLowerCase().split("-");
  return primary === "zh" || primary === "en" ? primary : null;
}

/** Returns the weight of a language, from 0 to 1: 1 if no `q` parameter has a value, 0 if the value is invalid. */
function weightOf(parameters: string[]): number {
  const q = parameters.map((parameter) => /^q\s*=(.+)/i.exec(parameter.trim())?.[1]?.trim()).find(Boolean);
  if (q === undefined) return 1;
  return /^(0(\.\d*)?|1(\.0*)?)$/.test(q) ? Number(q) : 0;
}
