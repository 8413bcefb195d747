/** The account's usage in the last 30 days, by service: a bar for each day, totals, and a table of the days. */
import { addDays, type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { type DayUsage, type Served, usageOfAccount } from "../catalog/usage.ts";
import { DATASETS } from "../datasets/registry.ts";
import { DATA_TYPES } from "../entitlement/data-types.ts";
import { gateOf } from "../gate/slot.ts";
import { countText, dateText, sizeText } from "../pages/figures.ts";
import type { Desk } from "./desk.tsx";
import { type Fact, Facts, Grid } from "./layout.tsx";
import type { Messages } from "./messages.ts";

/** Number of days on the page, today included. */
const DAYS = 30;

export type Service = keyof Messages["services"];

/** One service's usage on every day in order, including days without any use. */
interface ServiceUsage {
  service: Service;
  days: (Served & { day: BeijingDate })[];
}

/** The interfaces of the datasets. Their gates have today's counts, which the catalog gets some minutes later. */
const GATED = Object.values(DATASETS).map(({ apiname }) => apiname as Service);

/** Every dataset's interface and every kind of shared file; `messages.services` has a name for each. */
export const SERVICES: readonly Service[] = [...GATED, ...DATA_TYPES];

/** Returns the usage of each service in the last 30 days, up to now. */
export async function usageOf({ env, settings, who, nowMs }: Desk): Promise<ServiceUsage[]> {
  const { accountId } = who.principal;
  const today = beijingDate(nowMs);
  const home = { namespace: env.GATE, locationHint: settings.LOCATION_HINT };
  const ofNow = async (service: Service) => {
    const { use, bytes = 0 } = await gateOf(home, accountId, service).state();
    return { service, day: use.day, requests: use.requests, files: use.files, bytes };
  };
  const [told, present] = await Promise.all([
    usageOfAccount(env.DB, accountId, { today, count: DAYS }),
    Promise.all(GATED.map(ofNow)),
  ]);
  return SERVICES.map((service) => usageOfService(service, [...told, ...present], today));
}

/**
 * Returns one service's usage on the `DAYS` days up to `today`. `rows` can also contain rows of other services. If a
 * day has two rows, the later one in the list counts.
 */
function usageOfService(
  service: Service,
  rows: readonly (DayUsage & { service: string })[],
  today: BeijingDate,
): ServiceUsage {
  const byDay = new Map(rows.filter((row) => row.service === service).map((row) => [row.day, row]));
  const days = Array.from({ length: DAYS }, (_, place) => {
    const day = addDays(today, place + 1 - DAYS);
    const { requests = 0, files = 0, bytes = 0 } = byDay.get(day) ?? {};
    return { day, requests, files, bytes };
  });
  return { service, days };
}

/** Renders the section of the overview; services without any use are left out. */
export function Usage({ usage, messages }: { usage: readonly ServiceUsage[]; messages: Messages }) {
  const used = usage.filter(({ days }) => days.some(isUsed));
  return (
    <section class="card usage" aria-labelledby="usage">
      <h2 id="usage">{messages.usage}</h2>
      {used.length === 0 ? <p class="quiet">{messages.usageNone}</p> : null}
      {used.map((each) => (
        <Of usage={each} messages={messages} />
      ))}
      {used.length === 0 ? null : <InNumbers used={used} messages={messages} />}
    </section>
  );
}

const isUsed = ({ requests, files, bytes }: Served) => requests + files + bytes > 0;

function Of({ usage: { service, days }, messages }: { usage: ServiceUsage; messages: Messages }) {
  const sum = (of: keyof Served) => days.reduce((total, each) => total + each[of], 0);
  const facts: Fact[] = [
    { label: messages.requests, value: countText(sum("requests")) },
    { label: messages.usageFiles, value: countText(sum("files")) },
    { label: messages.usageBytes, value: sizeText(sum("bytes")) },
  ];
  return (
    <div class="used">
      <h3>{messages.services[service]}</h3>
      <Facts kind="inline" facts={facts} />
      <Bars days={days} messages={messages} />
    </div>
  );
}

const BAR = 10;
const GAP = 2;
const HEIGHT = 40;

function Bars({ days, messages }: { days: ServiceUsage["days"]; messages: Messages }) {
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  const bar = ({ requests }: Served, place: number) => {
    // A day with one request stays visible beside days with thousands.
    const height = requests === 0 ? 0 : Math.max(1, Math.round((HEIGHT * requests) / most));
    return `M${place * BAR} ${HEIGHT}v${-height}h${BAR - GAP}v${height}z`;
  };
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const busiest = days.find(({ requests }) => requests === most) ?? last;
  return (
    <div class="bars">
      <svg
        viewBox={`0 0 ${DAYS * BAR - GAP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={messages.usageChart(countText(most), dateText(busiest.day))}
      >
        <path d={days.map(bar).join("")} />
      </svg>
      <p class="quiet" aria-hidden="true">
        <span>{dateText(first.day)}</span>
        <span>{messages.usageMost(countText(most))}</span>
        <span>{dateText(last.day)}</span>
      </p>
    </div>
  );
}

function InNumbers({ used, messages }: { used: readonly ServiceUsage[]; messages: Messages }) {
  const rows = used
    .flatMap(({ service, days }) => days.filter(isUsed).map((day) => ({ service, ...day })))
    .toSorted((a, b) => b.day.localeCompare(a.day));
  return (
    <details>
      <summary>{messages.usageDays}</summary>
      <Grid
        label={messages.usageDays}
        isCard={false}
        headings={[
          messages.usageDay,
          messages.usageService,
          [messages.requests],
          [messages.usageFiles],
          [messages.usageBytes],
        ]}
      >
        {rows.map(({ day, service, requests, files, bytes }) => (
          <tr>
            <td class="nowrap">{dateText(day)}</td>
            <td>{messages.services[service]}</td>
            <td class="number">{countText(requests)}</td>
            <td class="number">{countText(files)}</td>
            <td class="number">{sizeText(bytes)}</td>
          </tr>
        ))}
      </Grid>
      <p class="quiet">{messages.usageNote}</p>
    </details>
  );
}
