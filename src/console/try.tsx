/** The page "Try it": the form of one operation, its request as a program, the answer, and the route that runs it. */
import { raw } from "hono/html";
import { addDays, type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { overviewOf } from "../catalog/day-overview.ts";
import { exampleSecurity } from "../catalog/day-securities.ts";
import { servedSpan } from "../catalog/days.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { standingOf } from "../entitlement/standing.ts";
import { serveApi } from "../operations/serve-api.ts";
import { documentOf } from "../pages/frame.tsx";
import type { PageLanguage } from "../pages/look.ts";
import { ASSETS } from "./assets.ts";
import { type ConsoleContext, type Desk, deskOf, html } from "./desk.tsx";
import { type Holder, Layout } from "./layout.tsx";
import { MESSAGES } from "./messages.ts";
import { TRY_MESSAGES, type TryMessages } from "./messages-try.ts";
import { isFormToken, isSameOrigin } from "./session.ts";
import { FORMS, type FormField, type OperationForm } from "./try-forms.ts";
import { isServed } from "./year-heat.ts";

export interface TryFacts {
  reader: Holder;
  form: OperationForm;
  /** Values from the URL. */
  given: ReadonlyMap<string, string>;
  /** The URL of the API that the example programs on the page contain. */
  apiUrl: string;
  /** Selectable days, newest first; empty without a served day. */
  days: readonly BeijingDate[];
  /** A security of the preset day. */
  symbol: string;
  year: number;
}

/** Returns the page as HTML. */
function tryPage(facts: TryFacts): string {
  const { reader, form, apiUrl } = facts;
  const { language } = reader;
  const messages = TRY_MESSAGES[language];
  const title = MESSAGES[language].pages.try;
  const known = { messages, language, apiUrl, apiname: form.apiname, formToken: reader.account.formToken };
  return documentOf(
    <Layout reader={reader} title={title} page="try" libraries={[ASSETS.chart]} scripts={[ASSETS.try]}>
      <h1>{title}</h1>
      <p class="lead">
        {messages.lead} <a href={`/docs/${language}/fields`}>{messages.fieldsInDocs}</a>
      </p>
      <noscript>
        <p class="notice problem">{messages.noScript}</p>
      </noscript>
      <nav class="years operations" aria-label={messages.operation}>
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
              {/* The script enables the button: without the script, the form would send no `op`. */}
              <button type="submit" class="primary" id="run" disabled>
                {messages.run}
              </button>
              <button type="button" id="stop" disabled>
                {messages.stop}
              </button>
              <p class="quiet">{form.counts ? messages.counts : messages.free}</p>
            </div>
          </form>
        </section>
        <Snippets messages={messages} />
      </div>
      <AnswerPlace messages={messages} />
      {/* Data for the script; "<" is escaped, so that no text can end the element. */}
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

function Snippets({ messages }: { messages: TryMessages }) {
  return (
    <section class="card snippets" aria-labelledby="snippets">
      <h2 id="snippets">{messages.theRequest}</h2>
      <div role="tablist" id="program-tabs" class="tabs" aria-labelledby="snippets">
        {LANGUAGES.map(([tool, name], place) => (
          <Tab id={`code-${tool}`} name={name} selected={place === 0} />
        ))}
      </div>
      {LANGUAGES.map(([tool], place) => (
        <div role="tabpanel" id={`code-${tool}`} aria-labelledby={`tab-code-${tool}`} hidden={place !== 0}>
          <pre id={`text-${tool}`} tabindex={0} />
          <button type="button" class="copy" data-copy={`text-${tool}`} data-done={messages.copied}>
            {messages.copy}
          </button>
        </div>
      ))}
      <p class="quiet">{messages.keyNote}</p>
    </section>
  );
}

/** Renders a tab of a tab list. */
export function Tab({ id, name, selected }: { id: string; name: string; selected: boolean }) {
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${id}`}
      aria-controls={id}
      aria-selected={selected ? "true" : "false"}
      tabindex={selected ? 0 : -1}
    >
      {name}
    </button>
  );
}

/**
 * Renders the outcome, a file's progress, buttons for further pages, and the views. Growing parts are last, so that
 * nothing below them moves.
 */
function AnswerPlace({ messages }: { messages: TryMessages }) {
  const views = Object.entries(messages.views);
  return (
    <section class="answer" aria-labelledby="answer">
      <h2 id="answer">{messages.answer}</h2>
      <p id="outcome" class="outcome" role="status">
        {messages.noAnswer}
      </p>
      <div id="progress" class="progress" hidden>
        <progress id="bar" max={1} value={0} aria-label={messages.reading} />
        <span id="bar-text" class="figure" />
      </div>
      <p id="file" hidden />
      <div id="paging" class="paging" hidden>
        <button type="button" id="next-page">
          {messages.nextPage}
        </button>
        <button type="button" id="all-pages">
          {messages.allPages}
        </button>
        <span id="pages" class="quiet" role="status" />
      </div>
      <div id="views" class="card" hidden>
        <div role="tablist" id="views-tabs" class="tabs" aria-labelledby="answer">
          {views.map(([view, name], place) => (
            <Tab id={`view-${view}`} name={name} selected={place === 0} />
          ))}
        </div>
        {views.map(([view], place) => (
          <div
            role="tabpanel"
            id={`view-${view}`}
            aria-labelledby={`tab-view-${view}`}
            hidden={place !== 0}
          />
        ))}
      </div>
    </section>
  );
}

/** The header in which a run sends the session's form token. */
const FORM_TOKEN = "X-Form-Token";

/** Kweichow Moutai. */
const KNOWN_SECURITY = "600519";

/** Values in the URL are truncated to this many characters. */
const MAX_VALUE = 200;

/** The form offers the served days among the 90 calendar days before the newest one. */
const OFFERED_DAYS = 90;

/** Serves the page with the form of the operation in the URL. */
export async function showTry(desk: Desk): Promise<Response> {
  const { c, settings, nowMs, reader } = desk;
  const asked = c.req.query("op");
  const form = FORMS.find(({ apiname }) => apiname === asked) ?? FORMS[0];
  if (form === undefined) throw new Error("there is no form");
  const given = new Map(
    Object.entries(c.req.query()).map(([name, value]) => [name, value.slice(0, MAX_VALUE)]),
  );
  const base = settings.PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
  const year = Number(beijingDate(nowMs).slice(0, 4));
  const { dataset = "orders" } = form;
  const days = await daysOffered(desk, dataset);
  const symbol = await securityOf(desk, given.get("tradedate") ?? days[0] ?? "", dataset);
  return html(c, tryPage({ reader, form, given, apiUrl: `${base}/api`, days, symbol, year }));
}

/**
 * Returns the served days that the form offers, newest first; empty if the plan has no order history or no day is
 * served.
 */
async function daysOffered({ env, who, nowMs }: Desk, dataset: DatasetName): Promise<BeijingDate[]> {
  const window = standingOf(who.principal, nowMs).windows.order_history;
  const { newest } = await servedSpan(env.DB, dataset);
  if (newest === null || window === null) return [];
  const first = addDays(newest, -OFFERED_DAYS);
  const from = window.from !== null && window.from > first ? window.from : first;
  const days = await overviewOf(env.DB, { first: from, last: newest, today: newest, dataset });
  return days
    .filter(isServed)
    .map(({ tradedate }) => tradedate)
    .toReversed();
}

/**
 * Returns a security with rows on the day, preferably `KNOWN_SECURITY`. Returns `KNOWN_SECURITY` too if the day has no
 * rows.
 */
async function securityOf({ env }: Desk, tradedate: string, dataset: DatasetName): Promise<string> {
  return (await exampleSecurity(env.DB, tradedate, KNOWN_SECURITY, dataset)) ?? KNOWN_SECURITY;
}

/**
 * Runs a request of `POST /api` as the signed-in holder. The session replaces the key. Rate limit, slot and quota apply
 * as to any other request.
 */
export async function runRequest(c: ConsoleContext): Promise<Response> {
  const desk = await deskOf(c);
  if (desk === null) return refused("signed_out", 401);
  const isOwn = isSameOrigin(c.req.raw) && (await isFormToken(c.req.header(FORM_TOKEN) ?? null, desk.who));
  if (!isOwn) return refused("form_foreign", 403);
  const { env, settings, nowMs, who } = desk;
  const { log } = c.var;
  const scope = {
    env,
    settings,
    ctx: c.executionCtx,
    requestId: log.requestId,
    origin: new URL(c.req.url).origin,
    nowMs,
    signal: c.req.raw.signal,
    log,
  };
  const response = await serveApi(c.req.raw, scope, who.principal);
  // Any origin may read answers of /api, because a request needs a key. Here a cookie identifies the caller, so no
  // other origin may read the answer.
  response.headers.delete("Access-Control-Allow-Origin");
  response.headers.delete("Access-Control-Expose-Headers");
  response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  return response;
}

/** Refuses a run before its operation starts; the page shows why and offers a link that reloads it. */
function refused(reason: "signed_out" | "form_foreign", status: number): Response {
  return Response.json({ error: reason }, { status, headers: { "Cache-Control": "no-store" } });
}
