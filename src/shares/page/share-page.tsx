/** The page of a share: what it covers, the calendar of the year, download commands, every file. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { DayOfEach } from "../../catalog/days.ts";
import type { ListedFile } from "../../catalog/files.ts";
import type { Share } from "../../catalog/shares.ts";
import { dateText, exactBytes, instantText, sizeText } from "../../pages/figures.ts";
import { documentOf } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import { MANIFEST, pathOf, SUMS } from "../drive-path.ts";
import { datasetsOf } from "../resource.ts";
import { CommandText, checkCommand, commandsFor, OneSecurity } from "./commands.tsx";
import { MESSAGES, type Messages } from "./messages.ts";
import { Layout } from "./pages.tsx";
import { lackingDatasets, YearCalendar, type YearDay, yearDays } from "./year-calendar.tsx";

export interface SharePageFacts {
  look: Look;
  share: Pick<Share, "shareId" | "dataType" | "year">;
  shareUrl: string;
  /** Unix milliseconds, exclusive. */
  endMs: number;
  days: { from: BeijingDate; to: BeijingDate } | null;
  today: BeijingDate;
  files: readonly ListedFile[];
  /** The trading calendar of the year: whether each day that it contains is open. */
  open: ReadonlyMap<BeijingDate, boolean>;
  /** The earliest loaded day of each dataset, or null. */
  earliest: DayOfEach;
}

/** Returns the page as HTML. It links to the share's folders, the manifest, the checksums and all files. */
export function sharePage(facts: SharePageFacts): string {
  const { look, share, files, days, today, open, earliest } = facts;
  const messages = MESSAGES[look.language];
  const ofDays = Map.groupBy(files, ({ tradedate }) => tradedate);
  const present = new Set(ofDays.keys());
  const lacking = lackingDatasets(ofDays, earliest);
  const months = yearDays({ year: share.year, today, days, present, lacking, open });
  const title = `${messages.dataType[share.dataType]} ${share.year}`;
  return documentOf(
    <Layout look={look} title={title}>
      <h1>{title}</h1>
      <p class="lead">{coverLine(files, messages)}</p>
      <Stats facts={facts} days={months.flat()} />
      <YearCalendar messages={messages} months={months} files={ofDays} />
      <Commands facts={facts} />
      <Files messages={messages} files={files} />
      <footer>{messages.readOnly}</footer>
    </Layout>,
  );
}

function coverLine(files: readonly ListedFile[], messages: Messages): string {
  const [first, last] = [files[0], files.at(-1)];
  if (first === undefined || last === undefined) return messages.coversNothing;
  return messages.covers(dateText(first.tradedate), dateText(last.tradedate));
}

function Stats({ facts, days }: { facts: SharePageFacts; days: YearDay[] }) {
  const messages = MESSAGES[facts.look.language];
  const has = days.filter(({ state }) => state === "present").length;
  const lacking = days.filter(({ state }) => state === "missing" || state === "incomplete").length;
  const bytes = facts.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (
    <dl class="stats">
      <div>
        <dt>{messages.tradingDays}</dt>
        <dd>
          {has} <small>{messages.ofDays(has + lacking)}</small>
        </dd>
      </div>
      <div>
        <dt>{messages.files}</dt>
        <dd>{facts.files.length}</dd>
      </div>
      <div>
        <dt>{messages.size}</dt>
        <dd title={exactBytes(bytes)}>{sizeText(bytes)}</dd>
      </div>
      <div>
        <dt>{messages.validUntil}</dt>
        <dd class="until">
          {instantText(facts.endMs)} <small>{messages.beijing}</small>
        </dd>
      </div>
    </dl>
  );
}

function Commands({ facts }: { facts: SharePageFacts }) {
  const { look, share, shareUrl, files } = facts;
  const messages = MESSAGES[look.language];
  const orders = files.findLast(({ name, tradedate }) => name === `${tradedate}_orders.parquet`);
  const parquet = orders ?? files.findLast(({ name }) => name.endsWith(".parquet"));
  const pack = files.findLast(({ packId }) => packId !== null);
  const commands = commandsFor({
    shareUrl,
    shareId: share.shareId,
    folder: `${share.dataType}-${share.year}`,
    example: parquet === undefined ? null : pathOf(parquet),
  });
  return (
    <section aria-labelledby="get">
      <h2 id="get">{messages.getIt}</h2>
      <div class="card tools">
        {commands.map(({ tool }, place) => (
          <input type="radio" name="tool" id={`tool-${tool}`} checked={place === 0} />
        ))}
        <div class="tabs">
          {commands.map(({ tool, title }) => (
            <label for={`tool-${tool}`}>{title}</label>
          ))}
        </div>
        {commands.map((command) => (
          <div class={`panel panel-${command.tool}`}>
            <CommandText id={`command-${command.tool}`} text={command.text} messages={messages} />
          </div>
        ))}
      </div>
      <p class="note">{messages.passwordNote}</p>
      <h3>{messages.checkIt}</h3>
      <p class="note">
        {messages.checkNote} (<a href={SUMS}>{SUMS}</a>, <a href={MANIFEST}>{MANIFEST}</a>)
      </p>
      <div class="card panel shown">
        <CommandText
          id="command-check"
          text={checkCommand({ shareUrl, shareId: share.shareId })}
          messages={messages}
        />
      </div>
      {pack === undefined ? null : (
        <>
          <h3>{messages.bySymbol}</h3>
          <OneSecurity
            messages={messages}
            share={{ shareUrl, shareId: share.shareId }}
            path={`${pack.tradedate}/`}
            datasets={datasetsOf(files.filter(({ tradedate }) => tradedate === pack.tradedate))}
          />
        </>
      )}
    </section>
  );
}

function Files({ messages, files }: { messages: Messages; files: readonly ListedFile[] }) {
  const months = Map.groupBy(files, ({ tradedate }) => Number(tradedate.slice(4, 6)));
  const newestFirst = [...months].reverse();
  return (
    <section aria-labelledby="files">
      <h2 id="files">{messages.allFiles}</h2>
      {newestFirst.map(([month, files], place) => (
        <details class="card month-files" open={place === 0}>
          <summary>
            <span>{messages.month(month)}</span>
            <span class="quiet">
              {messages.folderFiles(files.length)} ·{" "}
              {sizeText(files.reduce((sum, each) => sum + each.sizeBytes, 0))}
            </span>
          </summary>
          <table class="files">
            <tbody>
              {files.map((file) => (
                <FileRow file={file} messages={messages} />
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </section>
  );
}

function FileRow({ file, messages }: { file: ListedFile; messages: Messages }) {
  return (
    <tr>
      <td>
        <a href={pathOf(file).split("/").map(encodeURIComponent).join("/")}>{file.name}</a>
        <code class="sum">{file.sha256}</code>
      </td>
      <td class="number" title={exactBytes(file.sizeBytes)}>
        {sizeText(file.sizeBytes)}
      </td>
      <td class="when">
        {instantText(file.publishedAtMs)}
        {file.revision === 1 ? null : <small> · {messages.revision(file.revision)}</small>}
        {file.quality === null ? null : (
          <small class="verdict" title={file.quality.summary}>
            {messages.verdicts[file.quality.verdict]}
          </small>
        )}
      </td>
    </tr>
  );
}
