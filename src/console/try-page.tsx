/** Try it: the form of one operation, the request it makes, and room for the answer, which a script fills. */
import { raw } from "hono/html";
import type { BeijingDate } from "../calendar/beijing.ts";
import { ASSETS } from "./assets.ts";
import { documentOf, Layout, type Reader } from "./layout.tsx";
import { AnswerPlace, Tab } from "./try-answer.tsx";
import { FORMS, type FormField, type OperationForm } from "./try-forms.ts";
import { type PageLanguage, WORDS } from "./words.ts";
import { TRY_WORDS, type TryWords } from "./words-try.ts";

export interface TryFacts {
  reader: Reader & { account: NonNullable<Reader["account"]> };
  form: OperationForm;
  /** What the address puts into fields. */
  given: ReadonlyMap<string, string>;
  /** Where programs send the request. */
  apiUrl: string;
  /** Days to choose from, newest first; empty without a served day. */
  days: readonly BeijingDate[];
  /** A security of the day that is filled in. */
  symbol: string;
  year: number;
}

/** The page as HTML. */
export function tryPage(facts: TryFacts): string {
  const { reader, form, apiUrl } = facts;
  const { language } = reader;
  const words = TRY_WORDS[language];
  const title = WORDS[language].pages.try;
  const known = { words, language, apiUrl, apiname: form.apiname, formToken: reader.account.formToken };
  return documentOf(
    <Layout reader={reader} title={title} page="try" scripts={[ASSETS.chart, ASSETS.try]}>
      <h1>{title}</h1>
      <p class="lead">
        {words.lead} <a href={`/docs/${language}/fields`}>{words.fieldsInDocs}</a>
      </p>
      <noscript>
        <p class="notice problem">{words.noScript}</p>
      </noscript>
      <nav class="years operations" aria-label={words.operation}>
        {FORMS.map(({ apiname, title: name }) => (
          <a
            href={`/console/try?op=${apiname}`}
            aria-current={apiname === form.apiname ? "page" : undefined}
            title={apiname}
          >
            {name[language]}
          </a>
        ))}
      </nav>
      <div class="columns try">
        <section class="card" aria-labelledby="parameters">
          <h2 id="parameters">
            <code>{form.apiname}</code>
          </h2>
          <form id="query" class="query" autocomplete="off">
            {form.fields.map((field) => (
              <Field field={field} facts={facts} language={language} />
            ))}
            <datalist id="days">
              {facts.days.map((day) => (
                <option value={day} />
              ))}
            </datalist>
            <div class="wide run">
              {/* The script enables it: a form that a browser sends by itself would lose the operation. */}
              <button type="submit" class="primary" id="run" disabled>
                {words.run}
              </button>
              <button type="button" id="stop" disabled>
                {words.stop}
              </button>
              <p class="quiet">{form.counts ? words.counts : words.free}</p>
            </div>
          </form>
        </section>
        <Snippets words={words} />
      </div>
      <AnswerPlace words={words} />
      {/* Data for the script; "<" is written so that no text can end the element. */}
      <script type="application/json" id="known">
        {raw(JSON.stringify(known).replaceAll("<", "\\u003c"))}
      </script>
    </Layout>,
  );
}

function Field({ field, facts, language }: { field: FormField; facts: TryFacts; language: PageLanguage }) {
  const { name, hint, choices, numeric, beside, wide } = field;
  const digits = numeric || name === "tradedate" || name === "month";
  const value = facts.given.get(name) ?? presetOf(field, facts);
  const common = {
    id: `field-${name}`,
    name,
    "aria-describedby": `hint-${name}`,
    "data-beside": beside ? "yes" : undefined,
    "data-numeric": numeric ? "yes" : undefined,
  };
  return (
    <div class={wide ? "field wide" : "field"}>
      <label for={common.id}>{name}</label>
      {choices === undefined ? (
        <input
          {...common}
          value={value}
          spellcheck={false}
          inputmode={digits ? "numeric" : undefined}
          list={name === "tradedate" ? "days" : undefined}
        />
      ) : (
        <select {...common}>
          {choices.map((choice) => (
            <option value={choice} selected={choice === value}>
              {choice === "" ? "–" : choice}
            </option>
          ))}
        </select>
      )}
      <small id={common["aria-describedby"]}>{hint[language]}</small>
    </div>
  );
}

function presetOf({ preset = "" }: FormField, { days, symbol, year }: TryFacts): string {
  if (preset === "newest") return days[0] ?? "";
  if (preset === "security") return symbol;
  return preset === "year" ? String(year) : preset;
}

const LANGUAGES = [
  ["curl", "curl"],
  ["python", "Python"],
  ["typescript", "TypeScript"],
] as const;

function Snippets({ words }: { words: TryWords }) {
  return (
    <section class="card snippets" aria-labelledby="snippets">
      <h2 id="snippets">{words.theRequest}</h2>
      <div role="tablist" id="program-tabs" class="tabs" aria-labelledby="snippets">
        {LANGUAGES.map(([tool, name], place) => (
          <Tab id={`code-${tool}`} name={name} selected={place === 0} />
        ))}
      </div>
      {LANGUAGES.map(([tool], place) => (
        <div role="tabpanel" id={`code-${tool}`} aria-labelledby={`tab-code-${tool}`} hidden={place !== 0}>
          <pre id={`text-${tool}`} tabindex={0} />
          <button type="button" class="copy" data-copy={`text-${tool}`} data-done={words.copied} hidden>
            {words.copy}
          </button>
        </div>
      ))}
      <p class="quiet">{words.keyNote}</p>
    </section>
  );
}
