/** The page Overview: the plan, today's quota, usage, and the last requests. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { accountInfoOf } from "../operations/account-info.ts";
import type { AccountInfo, DayWindow } from "../operations/wire.ts";
import { countText, dateText, momentText } from "../pages/figures.ts";
import { type Desk, html } from "./desk.tsx";
import { Grid, Layout, type Reader } from "./layout.tsx";
import { type Messages, reasonText } from "./messages.ts";
import { SERVICES, type Service, Usage, usageOf } from "./usage.tsx";

/** Serves the overview of the account. */
export async function showOverview(desk: Desk): Promise<Response> {
  const { c, env, settings, who, nowMs, reader } = desk;
  const [info, usage] = await Promise.all([
    accountInfoOf(env, settings, who.principal, nowMs),
    usageOf(desk),
  ]);
  const { messages } = reader;
  return html(
    c,
    <Layout reader={reader} title={messages.pages.overview} page="overview">
      <div class="columns">
        <Plan info={info} messages={messages} />
        <Today info={info} messages={messages} />
      </div>
      <Usage usage={usage} messages={messages} />
      <LastRequests info={info} reader={reader} />
    </Layout>,
  );
}

function Plan({ info, messages }: { info: AccountInfo; messages: Messages }) {
  const { plan, plan_state: state, plan_ends_at: endsAt, windows } = info;
  const ends = endsAt === null ? "" : momentText(endsAt).slice(0, 16);
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">{messages.covers}</h2>
      <p class="plan">
        <b>{plan === null ? messages.planNone : messages.plans[plan]}</b>{" "}
        {plan === null ? null : (
          <span class={state === "active" ? "quiet" : "warn"}>
            {state === "active" ? messages.planEnds(ends) : messages.planEnded(ends)}
          </span>
        )}
      </p>
      <dl class="pairs">
        {SERVICES.map((service) => (
          <>
            <dt>{messages.services[service]}</dt>
            <dd>{windowText(windowOf(windows, service), messages)}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function windowText(window: DayWindow | null, messages: Messages): string {
  if (window === null) return messages.notCovered;
  const [from, to] = [window.from, window.to] as [BeijingDate | null, BeijingDate];
  return from === null ? messages.allHistory(dateText(to)) : messages.window(dateText(from), dateText(to));
}

function Today({ info, messages }: { info: AccountInfo; messages: Messages }) {
  const { quotas, windows } = info;
  const counted = quotas.filter(({ interface: name }) => windowOf(windows, name) !== null);
  const minutes = Math.ceil((counted[0]?.resets_in ?? 0) / 60);
  return (
    <section class="card" aria-labelledby="today">
      <h2 id="today">{messages.today}</h2>
      {counted.length === 0 ? <p class="quiet">{messages.nothingToUse}</p> : null}
      {counted.map((quota) => (
        <QuotaOf quota={quota} messages={messages} />
      ))}
      {counted.length === 0 ? null : (
        <p class="quiet">{messages.resets(Math.floor(minutes / 60), minutes % 60)}</p>
      )}
    </section>
  );
}

function windowOf(windows: AccountInfo["windows"], name: string): DayWindow | null {
  return Object.entries(windows).find(([service]) => service === name)?.[1] ?? null;
}

function QuotaOf({ quota, messages }: { quota: AccountInfo["quotas"][number]; messages: Messages }) {
  const { interface: name, requests, files, busy } = quota;
  // In a plan that limits only requests, files count as requests.
  const within = requests?.limit != null && files?.limit === null;
  return (
    <section class="of-interface" aria-labelledby={`today-${name}`}>
      <h3 id={`today-${name}`}>{messages.services[name as Service]}</h3>
      <Meter id={`${name}-requests`} name={messages.requests} counter={requests} messages={messages} />
      <Meter id={`${name}-files`} name={messages.files} counter={files} messages={messages} within={within} />
      {busy ? <p class="warn">{messages.busy}</p> : null}
    </section>
  );
}

interface MeterProps {
  id: string;
  name: string;
  counter: AccountInfo["quotas"][number]["requests"];
  messages: Messages;
  /** Whether the meter above includes these counts, so that its limit applies to them too. */
  within?: boolean;
}

function Meter({ id, name, counter, messages, within = false }: MeterProps) {
  if (counter === null) return null;
  const { limit, used, credited } = counter;
  const counted = used - credited;
  const unlimited = within ? messages.usedWithin : messages.usedUnlimited;
  const said =
    limit === null ? unlimited(countText(counted)) : messages.usedOf(countText(counted), countText(limit));
  return (
    <div class="quota">
      <span id={`quota-${id}`}>{name}</span>
      <span class="figure">{said}</span>
      {limit === null ? null : (
        <progress value={Math.min(counted, limit)} max={Math.max(1, limit)} aria-labelledby={`quota-${id}`} />
      )}
      {credited === 0 ? null : <small>{messages.credited(credited)}</small>}
    </div>
  );
}

function LastRequests({ info, reader }: { info: AccountInfo; reader: Reader }) {
  const { language, messages } = reader;
  const requests = info.last_requests;
  return (
    <section>
      <h2 id="last">{messages.lastRequests}</h2>
      <p class="quiet">
        {requests.length === 0 ? messages.noRequests : messages.lastNote} {messages.beijing}
      </p>
      {requests.length === 0 ? (
        <FirstSteps reader={reader} />
      ) : (
        <Grid
          labelledBy="last"
          kind="requests"
          headings={[messages.time, messages.request, messages.outcome, [messages.rows], messages.requestId]}
        >
          {requests.map((each) => (
            <tr>
              <td class="nowrap">{momentText(each.time)}</td>
              <td class="nowrap">
                <code>{each.interface ?? messages.none}</code>{" "}
                {[each.symbol, each.tradedate].filter((part) => part !== null).join(" · ")}
              </td>
              <td class="nowrap">
                <span class={`code ${each.code === 200 ? "ok" : "not"}`}>{each.code}</span>{" "}
                {reasonText(each.reason, language)}
                {each.code === 200 ? null : <code class="reason">{each.reason}</code>}
              </td>
              <td class="number" data-label={messages.rows}>
                {each.code === 200 ? countText(each.rows) : messages.none}
              </td>
              <td data-label={messages.requestId}>
                <code class="id">{each.request_id}</code>
              </td>
            </tr>
          ))}
        </Grid>
      )}
    </section>
  );
}

/** Renders the first steps for an account without requests. */
function FirstSteps({ reader: { language, messages } }: { reader: Reader }) {
  return (
    <section class="card" aria-labelledby="first">
      <h3 id="first">{messages.firstSteps}</h3>
      <ul class="steps">
        <li>
          <a href="/console/try">{messages.firstTry}</a>
        </li>
        <li>
          <a href="/console/keys">{messages.firstKey}</a>
        </li>
        <li>
          <a href={`/docs/${language}/`}>{messages.firstDocs}</a>
        </li>
      </ul>
    </section>
  );
}
