/** The page of a day: the served content of each dataset, and the result of the quality check. */
import { auctionPackName } from "../auction/columns.ts";
import { type BeijingDate, beijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { type LoadedFacts, overviewsOf } from "../catalog/day-overview.ts";
import { earliestDays } from "../catalog/days.ts";
import { revisionsAt, type StoredFile } from "../catalog/files.ts";
import type { PackQuality } from "../catalog/publish-day.ts";
import { DATASET_NAMES, type DatasetName } from "../datasets/registry.ts";
import { standingOf } from "../entitlement/standing.ts";
import { countText, dateText, instantText, sizeText } from "../pages/figures.ts";
import { documentOf } from "../pages/frame.tsx";
import { CHECK_NOTES, CHECK_TEXTS, VERDICT_TEXTS } from "../quality/sheet-messages.ts";
import { later, tryAddress } from "./data.tsx";
import { type Desk, html, problem } from "./desk.tsx";
import { Grid, Layout, type Reader } from "./layout.tsx";
import { MESSAGES, type Messages } from "./messages.ts";
import { type HeatDay, yearHeat } from "./year-heat.ts";

/** The state of one dataset on the day. */
type DatasetDay = HeatDay & { dataset: DatasetName };

/** Serves the page of the day in the URL; 404 for a future day and for a day outside the plan's window. */
export async function showDay({ c, env, nowMs, reader, who }: Desk): Promise<Response> {
  const { order_history: window, auction_tick: files } = standingOf(who.principal, nowMs).windows;
  const day = parseBeijingDate(c.req.query("day") ?? "");
  const today = beijingDate(nowMs);
  if (window === null || day === null || day > today || (window.from !== null && day < window.from)) {
    return problem(c, reader, "not_found", 404);
  }
  const [overviews, earliest] = await Promise.all([
    overviewsOf(env.DB, { first: day, last: day, today }),
    earliestDays(env.DB),
  ]);
  const datasets = DATASET_NAMES.flatMap((dataset): DatasetDay[] => {
    const months = yearHeat({
      year: Number(day.slice(0, 4)),
      today,
      from: later(window.from, earliest[dataset]),
      days: overviews[dataset],
    });
    return months
      .flat()
      .filter((each) => each.day === day)
      .map((each) => ({ ...each, dataset }));
  });
  const isCovered = files !== null && (files.from === null || day >= files.from);
  const auction = isCovered ? await auctionFile(env.DB, day) : null;
  return html(c, dayPage(reader, datasets, auction));
}

/** Returns the published auction pack of `day`, a file that shares offer; null if none is published. */
async function auctionFile(db: D1Database, day: BeijingDate): Promise<StoredFile | null> {
  const name = auctionPackName(day);
  const revisions = await revisionsAt(db, { dataType: "auction_tick", tradedate: day, name });
  return revisions.find(({ state }) => state === "published") ?? null;
}

/** Returns the page as HTML. */
function dayPage(reader: Reader, datasets: readonly DatasetDay[], auction: StoredFile | null): string {
  const messages = MESSAGES[reader.language];
  const [first] = datasets;
  const title = first === undefined ? messages.pages.data : dateText(first.day);
  return documentOf(
    <Layout reader={reader} title={title} page="data">
      <h1>{title}</h1>
      <p class="lead">{messages.dayLead}</p>
      <Grid
        label={messages.dataset}
        headings={[
          messages.dataset,
          messages.state,
          [messages.rows],
          [messages.securitiesColumn],
          [messages.size],
          messages.publishedColumn,
          messages.quality,
          messages.pages.try,
        ]}
      >
        {datasets.map((each) => (
          <DatasetRow day={each} reader={reader} />
        ))}
      </Grid>
      {auction === null ? null : <AuctionFile file={auction} messages={messages} />}
      {groupsOf(datasets).map((group) => (
        <Quality group={group} reader={reader} />
      ))}
      <p class="quiet">{messages.qualityNote}</p>
    </Layout>,
  );
}

function DatasetRow({ day: { day, dataset, mark, loaded }, reader }: { day: DatasetDay; reader: Reader }) {
  const messages = MESSAGES[reader.language];
  const number = (text: (facts: LoadedFacts) => string) => (
    <td class="number">{loaded === null ? messages.none : text(loaded)}</td>
  );
  return (
    <tr>
      <th scope="row">{messages.datasets[dataset]}</th>
      <td class="nowrap">{messages.dayStates[mark]}</td>
      {number(({ rows }) => countText(rows))}
      {number(({ securities }) => countText(securities))}
      {number(({ sizeBytes }) => sizeText(sizeBytes))}
      <td class="nowrap">{loaded === null ? messages.none : instantText(loaded.publishedAtMs)}</td>
      <td>{loaded === null ? messages.none : verdictOf(loaded.quality, reader)}</td>
      <td>{loaded === null ? messages.none : <a href={tryAddress(dataset, day)}>{messages.open}</a>}</td>
    </tr>
  );
}

function AuctionFile({ file, messages }: { file: StoredFile; messages: Messages }) {
  return (
    <section aria-labelledby="auction">
      <h2 id="auction">{messages.auctionFile}</h2>
      <Grid
        labelledBy="auction"
        headings={[
          messages.fileColumn,
          messages.madeColumn,
          [messages.size],
          messages.publishedColumn,
          messages.pages.shares,
        ]}
      >
        <tr>
          <th scope="row">
            <code>{file.name}</code>
          </th>
          <td class="nowrap">{messages.fileOrigins[file.origin]}</td>
          <td class="number">{sizeText(file.sizeBytes)}</td>
          <td class="nowrap">
            {file.publishedAtMs === null ? messages.none : instantText(file.publishedAtMs)}
          </td>
          <td>
            <a href="/console/shares">{messages.open}</a>
          </td>
        </tr>
      </Grid>
    </section>
  );
}

function verdictOf(quality: PackQuality | null, { language }: Reader): string {
  return quality === null ? MESSAGES[language].unchecked : VERDICT_TEXTS[quality.verdict][language];
}

/** Datasets with the same result of the quality check. */
interface Group {
  datasets: DatasetName[];
  quality: PackQuality;
}

/**
 * Groups the datasets by quality check. One check covers all datasets of a delivery; a dataset that was delivered
 * separately has its own check.
 */
function groupsOf(days: readonly DatasetDay[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { dataset, loaded } of days) {
    const quality = loaded?.quality ?? null;
    if (quality === null) continue;
    const known = groups.get(JSON.stringify(quality));
    if (known === undefined) groups.set(JSON.stringify(quality), { datasets: [dataset], quality });
    else known.datasets.push(dataset);
  }
  return [...groups.values()];
}

function Quality({ group: { datasets, quality }, reader }: { group: Group; reader: Reader }) {
  const messages = MESSAGES[reader.language];
  const names = datasets.map((dataset) => messages.datasets[dataset]).join(messages.listJoint);
  const id = `quality-${datasets.join("-")}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{messages.qualityOf(names)}</h2>
      <p>
        <b>{verdictOf(quality, reader)}</b>{" "}
        {quality.verdict === "failed" ? <code>{quality.summary}</code> : null}
      </p>
      {quality.checks === undefined ? null : (
        <>
          <Checks checks={quality.checks} heading={id} reader={reader} messages={messages} />
          <Notes checks={quality.checks} reader={reader} />
        </>
      )}
    </section>
  );
}

interface ChecksProps {
  checks: NonNullable<PackQuality["checks"]>;
  /** The id of the heading. */
  heading: string;
  reader: Reader;
  messages: Messages;
}

function Checks({ checks, heading, reader: { language }, messages }: ChecksProps) {
  const { passed, failed, not_provable } = VERDICT_TEXTS;
  return (
    <Grid
      labelledBy={heading}
      kind="checks"
      headings={[messages.checkColumn, [passed[language]], [failed[language]], [not_provable[language]]]}
    >
      {Object.entries(checks).map(([check, counts]) => (
        <tr>
          <th scope="row">
            <code>{check}</code> {textOf(check)?.[language]}
          </th>
          <td class="number">{countText(counts.passed)}</td>
          <td class="number">{countText(counts.failed)}</td>
          <td class="number">{countText(counts.not_provable)}</td>
        </tr>
      ))}
    </Grid>
  );
}

/** Renders notes that say what a check can prove. Only checks whose counts alone would mislead have a note. */
function Notes({ checks, reader: { language } }: Pick<ChecksProps, "checks" | "reader">) {
  return (
    <>
      {Object.entries(CHECK_NOTES)
        .filter(([check]) => check in checks)
        .map(([check, note]) => (
          <p class="quiet">
            <code>{check}</code> {note[language]}
          </p>
        ))}
    </>
  );
}

/** Returns the text of a check; undefined for a check that only a newer builder has. */
function textOf(check: string) {
  return (CHECK_TEXTS as Readonly<Record<string, (typeof CHECK_TEXTS)[keyof typeof CHECK_TEXTS]>>)[check];
}
