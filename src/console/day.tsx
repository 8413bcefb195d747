/** The page of a day: the served content of each dataset, and the result of the quality check. */
import { auctionPackName } from "../auction/columns.ts";
import type { Bilingual } from "../base/language.ts";
import { type BeijingDate, beijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { type LoadedFacts, overviewsOf } from "../catalog/day-overview.ts";
import { servedSpans } from "../catalog/days.ts";
import { revisionsAt, type StoredFile } from "../catalog/files.ts";
import type { PackQuality } from "../catalog/publish-day.ts";
import { DATASET_NAMES, type DatasetName } from "../datasets/registry.ts";
import { standingOf } from "../entitlement/standing.ts";
import { countText, dateText, instantText, sizeText } from "../pages/figures.ts";
import { CHECK_NOTES, CHECK_TEXTS, VERDICT_TEXTS } from "../quality/sheet-messages.ts";
import { later, tryAddress } from "./data.tsx";
import { type Desk, html, problem } from "./desk.tsx";
import { Grid, Layout, type Reader } from "./layout.tsx";
import type { Messages } from "./messages.ts";
import { type MarkedDay, markedDay } from "./year-heat.ts";

/** The state of one dataset on the day. */
type DatasetDay = MarkedDay & { dataset: DatasetName };

/** The texts of the checks. A newer builder can have checks that are not among them. */
const TEXTS: Readonly<Record<string, Bilingual>> = CHECK_TEXTS;

/** Serves the page of the day in the URL; 404 for a future day and for a day outside the plan's window. */
export async function showDay(desk: Desk): Promise<Response> {
  const { c, env, nowMs, reader, who } = desk;
  const { messages } = reader;
  const { order_history: window, auction_tick: files } = standingOf(who.principal, nowMs).windows;
  const day = parseBeijingDate(c.req.query("day") ?? "");
  const today = beijingDate(nowMs);
  if (window === null || day === null || day > today || (window.from !== null && day < window.from)) {
    return problem(desk, "not_found", 404);
  }
  const [overviews, { earliest }] = await Promise.all([
    overviewsOf(env.DB, { first: day, last: day, today }),
    servedSpans(env.DB),
  ]);
  const datasets = DATASET_NAMES.map((dataset): DatasetDay => {
    const bounds = { today, from: later(window.from, earliest[dataset]) };
    return { dataset, ...markedDay(day, overviews[dataset][0], bounds) };
  });
  const isCovered = files !== null && (files.from === null || day >= files.from);
  const auction = isCovered ? await auctionFile(env.DB, day) : null;
  return html(
    c,
    <Layout reader={reader} title={dateText(day)} page="data">
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

/** Returns the published auction pack of `day`, a file that shares offer; null if none is published. */
async function auctionFile(db: D1Database, day: BeijingDate): Promise<StoredFile | null> {
  const name = auctionPackName(day);
  const revisions = await revisionsAt(db, { dataType: "auction_tick", tradedate: day, name });
  return revisions.find(({ state }) => state === "published") ?? null;
}

function DatasetRow({ day: { day, dataset, mark, loaded }, reader }: { day: DatasetDay; reader: Reader }) {
  const { messages } = reader;
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

function verdictOf(quality: PackQuality | null, { language, messages }: Reader): string {
  return quality === null ? messages.unchecked : VERDICT_TEXTS[quality.verdict][language];
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
  const groups = Map.groupBy(days, ({ loaded }) => JSON.stringify(loaded?.quality ?? null));
  return [...groups.values()].flatMap((group) => {
    const quality = group[0]?.loaded?.quality ?? null;
    return quality === null ? [] : [{ datasets: group.map(({ dataset }) => dataset), quality }];
  });
}

function Quality({ group: { datasets, quality }, reader }: { group: Group; reader: Reader }) {
  const { messages } = reader;
  const names = datasets.map((dataset) => messages.datasets[dataset]).join(messages.listJoint);
  const id = `quality-${datasets.join("-")}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{messages.qualityOf(names)}</h2>
      <p>
        <b>{verdictOf(quality, reader)}</b>{" "}
        {quality.verdict === "failed" ? <code>{quality.summary}</code> : null}
      </p>
      {quality.checks === undefined ? null : <Checks checks={quality.checks} heading={id} reader={reader} />}
    </section>
  );
}

interface ChecksProps {
  checks: NonNullable<PackQuality["checks"]>;
  /** The id of the heading. */
  heading: string;
  reader: Reader;
}

/** Renders the counts of each check, and notes on what checks can prove whose counts alone would mislead. */
function Checks({ checks, heading, reader: { language, messages } }: ChecksProps) {
  const { passed, failed, not_provable } = VERDICT_TEXTS;
  return (
    <>
      <Grid
        labelledBy={heading}
        kind="checks"
        headings={[messages.checkColumn, [passed[language]], [failed[language]], [not_provable[language]]]}
      >
        {Object.entries(checks).map(([check, counts]) => (
          <tr>
            <th scope="row">
              <code>{check}</code> {TEXTS[check]?.[language]}
            </th>
            <td class="number">{countText(counts.passed)}</td>
            <td class="number">{countText(counts.failed)}</td>
            <td class="number">{countText(counts.not_provable)}</td>
          </tr>
        ))}
      </Grid>
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
