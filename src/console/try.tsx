/** The page "Try it": the form of one operation, its request as a program, the answer, and the route that runs it. */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { addDays, type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { overviewOf } from "../catalog/day-overview.ts";
import { exampleSecurity } from "../catalog/day-securities.ts";
import { servedSpans } from "../catalog/days.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { standingOf } from "../entitlement/standing.ts";
import { serveApi } from "../operations/serve-api.ts";
import type { PageLanguage } from "../pages/look.ts";
import { ASSETS } from "./assets.ts";
import { type ConsoleContext, type Desk, deskOf, html } from "./desk.tsx";
import { type Holder, Layout } from "./layout.tsx";
import { TRY_MESSAGES, type TryMessages } from "./messages-try.ts";
import { isFormToken, isSameOrigin } from "./session.ts";
import { FORMS, type FormField, historyForm, type OperationForm } from "./try-forms.ts";
import { isServed } from "./year-heat.ts";

interface TryFacts {
  reader: Holder;
  form: OperationForm;
  /** Values from the URL. */
  given: ReadonlyMap<string, string>;
  /** The URL of the API that the example programs on the page contain. */
  apiUrl: string;
  /** Selectable days, newest first; empty without a served day. */
  days: readonly BeijingDate[];
  /** A security of the preset day; `KNOWN_SECURITY` if the day has none. */
  symbol: string;
  year: number;
}

function TryPage(facts: TryFacts) {
  const { reader, form, apiUrl } = facts;
  const { language } = reader;
  const messages = TRY_MESSAGES[language];
  const known = { messages, language, apiUrl, apiname: form.apiname, formToken: reader.account.formToken };
  return (
    <Layout
      reader={reader}
      title={reader.messages.pages.try}
      page="try"
      libraries={[ASSETS.chart]}
      scripts={[ASSETS.try]}
    >
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
    </Layout>
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
      <Tabs id="program-tabs" labelledBy="snippets" prefix="code" tabs={LANGUAGES}>
        {(tool) => (
          <>
            <pre id={`text-${tool}`} tabindex={0} />
            <button type="button" class="copy" data-copy={`text-${tool}`} data-done={messages.copied}>
              {messages.copy}
            </button>
          </>
        )}
      </Tabs>
      <p class="quiet">{messages.keyNote}</p>
    </section>
  );
}

interface TabsProps {
  id: string;
  labelledBy: string;
  /** The beginning of the panels' ids. */
  prefix: string;
  /** The end of each panel's id, and the text of its tab. */
  tabs: readonly (readonly [string, string])[];
  /** Renders the content of a panel. */
  children?: (tab: string) => Child;
}

/** Renders a list of tabs, of which the first is selected, and their panels. */
function Tabs({ id, labelledBy, prefix, tabs, children }: TabsProps) {
  return (
    <>
      <div role="tablist" id={id} class="tabs" aria-labelledby={labelledBy}>
        {tabs.map(([tab, name], place) => (
          <button
            type="button"
            role="tab"
            id={`tab-${prefix}-${tab}`}
            aria-controls={`${prefix}-${tab}`}
            aria-selected={place === 0 ? "true" : "false"}
            tabindex={place === 0 ? 0 : -1}
          >
            {name}
          </button>
        ))}
      </div>
      {tabs.map(([tab], place) => (
        <div
          role="tabpanel"
          id={`${prefix}-${tab}`}
          aria-labelledby={`tab-${prefix}-${tab}`}
          hidden={place !== 0}
        >
          {children?.(tab)}
        </div>
      ))}
    </>
  );
}

/**
 * Renders the outcome, a file's progress, buttons for further pages, and the views. Growing parts are last, so that
 * nothing below them moves.
 */
function AnswerPlace({ messages }: { messages: TryMessages }) {
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
        <Tabs id="views-tabs" labelledBy="answer" prefix="view" tabs={Object.entries(messages.views)} />
      </div>
    </section>
  );
}

/** The header in which a run sends the session's form token. */
const FORM_TOKEN = "X-Form-Token";

/** Kweichow Moutai. It is the example unless only other securities have rows on the day. */
const KNOWN_SECURITY = "600519";

/** Values in the URL are truncated to this many characters. */
const MAX_VALUE = 200;

/** The form offers the served days among the 90 calendar days before the newest one. */
const OFFERED_DAYS = 90;

/** Serves the page with the form of the operation in the URL. */
export async function showTry(desk: Desk): Promise<Response> {
  const { c, env, settings, nowMs, reader } = desk;
  const asked = c.req.query("op");
  const form = FORMS.find(({ apiname }) => apiname === asked) ?? historyForm("orders");
  const given = new Map(
    Object.entries(c.req.query()).map(([name, value]) => [name, value.slice(0, MAX_VALUE)]),
  );
  const apiUrl = `${settings.PUBLIC_BASE_URL ?? new URL(c.req.url).origin}/api`;
  const year = Number(beijingDate(nowMs).slice(0, 4));
  const { dataset = "orders" } = form;
  const days = await daysOffered(desk, dataset);
  const tradedate = given.get("tradedate") ?? days[0] ?? "";
  const example = await exampleSecurity(env.DB, tradedate, KNOWN_SECURITY, dataset);
  const symbol = example ?? KNOWN_SECURITY;
  return html(c, <TryPage {...{ reader, form, given, apiUrl, days, symbol, year }} />);
}

/**
 * Returns the served days that the form offers, newest first; empty if the plan has no order history or no day is
 * served.
 */
async function daysOffered({ env, who, nowMs }: Desk, dataset: DatasetName): Promise<BeijingDate[]> {
  const window = standingOf(who.principal, nowMs).windows.order_history;
  const newest = (await servedSpans(env.DB)).newest[dataset];
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
 * Runs a request of `POST /api` as the signed-in holder. The session replaces the key. Rate limit, slot and quota apply
 * as to any other request.
 */
export async function runRequest(c: ConsoleContext): Promise<Response> {
  const desk = await deskOf(c);
  if (desk === null) return refused("signed_out", 401);
  const isOwn = isSameOrigin(c.req.raw) && isFormToken(c.req.header(FORM_TOKEN) ?? null, desk.who);
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
