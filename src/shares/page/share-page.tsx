/** The page of a share for people: what it covers, the year at a glance, how to fetch it, every file. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { CoveredFile } from "../../catalog/files.ts";
import type { Share } from "../../catalog/shares.ts";
import { dateText, exactBytes, instantText, sizeText } from "../../pages/figures.ts";
import { documentOf } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import { BY_SYMBOL, MANIFEST, pathOf, SUMS } from "../drive-path.ts";
import { byDay } from "../resource.ts";
import { checkCommand, commandsFor } from "./commands.ts";
import { Layout } from "./layout.tsx";
import { WORDS, type Words } from "./messages.ts";
import { YearCalendar, type YearDay, yearDays } from "./year-calendar.tsx";

export interface SharePageFacts {
  look: Look;
  share: Pick<Share, "shareId" | "dataType" | "year">;
  shareUrl: string;
  /** Unix milliseconds, exclusive. */
  endMs: number;
  days: { from: BeijingDate; to: BeijingDate } | null;
  today: BeijingDate;
  files: readonly CoveredFile[];
  /** The trading calendar of the year. */
  open: ReadonlyMap<BeijingDate, boolean>;
}

/** The page as HTML. Its links are the share's folders, the manifest, the sums and all files. */
export function sharePage(facts: SharePageFacts): string {
  const { look, share, files, days, today, open } = facts;
  const words = WORDS[look.language];
  const ofDays = byDay(files);
  const present = new Set(ofDays.keys());
  const months = yearDays({ year: share.year, today, days, present, open });
  const title = words.title(words.dataType[share.dataType], share.year);
  return documentOf(
    <Layout look={look} title={title}>
      <h1>{title}</h1>
      <p class="lead">{coverLine(files, words)}</p>
      <Stats facts={facts} days={months.flat()} />
      <YearCalendar words={words} months={months} files={ofDays} />
      <Commands facts={facts} />
      <Files words={words} ofDays={ofDays} />
      <footer>{words.readOnly}</footer>
    </Layout>,
  );
}

function coverLine(files: readonly CoveredFile[], words: Words): string {
  const [first, last] = [files[0], files.at(-1)];
  if (first === undefined || last === undefined) return words.coversNothing;
  return words.covers(dateText(first.tradedate), dateText(last.tradedate));
}

function Stats({ facts, days }: { facts: SharePageFacts; days: YearDay[] }) {
  const words = WORDS[facts.look.language];
  const has = days.filter(({ state }) => state === "present").length;
  const missing = days.filter(({ state }) => state === "missing").length;
  const bytes = facts.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (
    <dl class="stats">
      <div>
        <dt>{words.tradingDays}</dt>
        <dd>
          {has} <small>{words.ofDays(has + missing)}</small>
        </dd>
      </div>
      <div>
        <dt>{words.files}</dt>
        <dd>{facts.files.length}</dd>
      </div>
      <div>
        <dt>{words.size}</dt>
        <dd title={exactBytes(bytes)}>{sizeText(bytes)}</dd>
      </div>
      <div>
        <dt>{words.validUntil}</dt>
        <dd class="until">
          {instantText(facts.endMs)} <small>{words.beijing}</small>
        </dd>
      </div>
    </dl>
  );
}

function Commands({ facts }: { facts: SharePageFacts }) {
  const { look, share, shareUrl, files } = facts;
  const words = WORDS[look.language];
  const parquet = files.findLast(({ name }) => name.endsWith(".parquet"));
  const pack = files.findLast(({ packId }) => packId !== null);
  const commands = commandsFor({
    shareUrl,
    shareId: share.shareId,
    folder: `${share.dataType}-${share.year}`,
    example: parquet === undefined ? null : pathOf(parquet),
  });
  return (
    <section aria-labelledby="get">
      <h2 id="get">{words.getIt}</h2>
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
            <CommandText id={`command-${command.tool}`} text={command.text} words={words} />
          </div>
        ))}
      </div>
      <p class="note">{words.passwordNote}</p>
      <h3>{words.checkIt}</h3>
      <p class="note">
        {words.checkNote} (<a href={SUMS}>{SUMS}</a>, <a href={MANIFEST}>{MANIFEST}</a>)
      </p>
      <div class="card panel shown">
        <CommandText
          id="command-check"
          text={checkCommand({ shareUrl, shareId: share.shareId })}
          words={words}
        />
      </div>
      {pack === undefined ? null : (
        <>
          <h3>{words.bySymbol}</h3>
          <p class="note">
            {words.bySymbolNote} <code>{`${pack.tradedate}/${BY_SYMBOL}/600519.SH.parquet`}</code>
          </p>
        </>
      )}
    </section>
  );
}

function CommandText({ id, text, words }: { id: string; text: string; words: Words }) {
  return (
    <>
      {/* Broken inside each address: fsspec takes every address in a page's source, with what follows, for a file. */}
      <pre id={id}>
        {text.split("://").flatMap((part, place) => (place === 0 ? [part] : [<wbr />, `://${part}`]))}
      </pre>
      {/* Shown by the script, without which it could do nothing. */}
      <button type="button" class="copy" data-copy={id} data-done={words.copied}>
        {words.copy}
      </button>
    </>
  );
}

/** Every file, by month, the newest month open. */
function Files({ words, ofDays }: { words: Words; ofDays: Map<BeijingDate, CoveredFile[]> }) {
  const months = new Map<number, CoveredFile[]>();
  for (const [day, files] of ofDays) {
    const month = Number(day.slice(4, 6));
    months.set(month, [...(months.get(month) ?? []), ...files]);
  }
  const newestFirst = [...months].reverse();
  return (
    <section aria-labelledby="files">
      <h2 id="files">{words.allFiles}</h2>
      {newestFirst.map(([month, files], place) => (
        <details class="card month-files" open={place === 0}>
          <summary>
            <span>{words.month(month)}</span>
            <span class="quiet">
              {words.folderFiles(files.length)} ·{" "}
              {sizeText(files.reduce((sum, each) => sum + each.sizeBytes, 0))}
            </span>
          </summary>
          <table class="files">
            <tbody>
              {files.map((file) => (
                <FileRow file={file} words={words} />
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </section>
  );
}

function FileRow({ file, words }: { file: CoveredFile; words: Words }) {
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
        {file.revision === 1 ? null : <small> · {words.revision(file.revision)}</small>}
      </td>
    </tr>
  );
}
