/**
 * `edgetape files`: daily files in shares besides the day packs. `files add` begins or resumes an upload, sends the
 * missing parts and completes it. Shares change only when a file is published, so a killed command can be run again.
 */

import { basename } from "node:path";
import * as wire from "../admin/wire.ts";
import { auctionPackName } from "../auction/columns.ts";
import { beijingDate } from "../calendar/beijing.ts";
import { dailyFileProblem } from "../pack-builder/daily-file.ts";
import { type LocalFile, openLocalFile } from "../pack-builder/local-file.ts";
import { type Call, command, group } from "./command.ts";
import { sizeText, table } from "./command-line.ts";
import { CommandFailure, UsageFailure } from "./exit.ts";
import * as option from "./option.ts";
import { byteProgress } from "./progress.ts";
import { addFile, type FilePlace, listFiles, publishFile, withdrawFile } from "./uploads.ts";

/** Describes the option for a kind of files. */
export const dataType = (says: string) => option.choice("<type>", wire.dataTypeSchema.options, says);

const placeOptions = (name: string) => ({
  type: dataType("the kind of files").required(),
  date: option.day("the trading day").required(),
  name: option.text("<name>", name),
});

const IN_SHARE = placeOptions("the file's name in the share; not needed for an auction pack");

const add = command("add", {
  says: "upload a daily file and check it; shares offer it once it is published. Run it again after any interruption",
  args: { "<file>": "an auction pack, or any file of the day for level2 shares" },
  options: {
    publish: option.flag(
      "publish the file at once, so that shares offer it instead of its previous revision",
    ),
    force: option.flag("with --publish: also publish in place of a withdrawn file"),
    ...placeOptions("its name in shares, which must contain the date (default: the file's own name)"),
  },
  async run(call, { publish, force = false, ...options }, path: string) {
    const { client } = call;
    const place = placeOf(options, basename(path));
    const file = await openDailyFile(path, place);
    try {
      const progress = byteProgress(`sending ${place.name}`, file.sizeBytes);
      const added = await addFile(client, place, file, { onSent: progress.update });
      progress.end();
      const ask = { revision: added.revision, force };
      show(call, publish ? await publishFile(client, place, ask) : added);
    } finally {
      await file.close();
    }
  },
});

const publish = command("publish", {
  says: "publish an added or withdrawn file in shares",
  options: {
    revision: option.revision("the revision that you have checked; needed when several can be published"),
    force: option.flag("publish even in place of a withdrawn file"),
    ...IN_SHARE,
  },
  async run(call, { revision, force = false, ...options }) {
    const place = placeOf(options);
    show(call, await publishFile(call.client, place, { revision, force }));
  },
});

const withdraw = command("withdraw", {
  says: "stop offering a file at once; an answer that is being sent still finishes, but no download can be resumed",
  options: {
    note: option.text("<text>", "the reason, for the list and the audit"),
    yes: option.YES,
    ...IN_SHARE,
  },
  async run(call, { note = "", ...options }) {
    const place = placeOf(options);
    await call.confirm(`Withdraw ${place.name} from every ${place.dataType} share at once?`);
    show(call, await withdrawFile(call.client, place, note));
  },
});

const list = command("list", {
  says: "list the files of a month with their states",
  options: {
    type: dataType("the kind of files (default: all)"),
    month: option.month("the month (default: the current one)"),
  },
  async run({ client, print }, { type, month = beijingDate(Date.now()).slice(0, 6) }) {
    // Day 0 of the next month is the last day of this month.
    const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)), 0)).getUTCDate();
    const files: wire.FileSummary[] = [];
    for (const each of type === undefined ? wire.dataTypeSchema.options : [type]) {
      files.push(...(await listFiles(client, each, `${month}01`, `${month}${last}`)));
    }
    const rows = files.map((file) => [
      file.tradedate,
      file.dataType,
      file.name,
      String(file.revision),
      fileStateOf(file),
      sizeText(file.sizeBytes),
      file.publishedAt ?? "",
      ORIGINS[file.origin],
    ]);
    const kind = type === undefined ? "files" : `${type} files`;
    const none = `No ${kind} were added in ${month}; --month YYYYMM shows another month.`;
    const headings = ["day", "type", "file", "revision", "state", "size", "published", "made by"];
    print({ files }, table(headings, rows, none));
  },
});

export const files = group("files", "add, list, publish and withdraw daily files for shares", [
  add,
  list,
  publish,
  withdraw,
]);

/** Returns a file's place: its `name`, `fallback`, or an auction pack's name. Refuses an invalid name. */
function placeOf(named: option.Values<typeof IN_SHARE>, fallback?: string): FilePlace {
  const { type: dataType, date: tradedate } = named;
  const only = dataType === "auction_tick" ? auctionPackName(tradedate) : undefined;
  const name = named.name ?? fallback ?? only;
  if (name === undefined) throw new UsageFailure("Name the file of the day with --name.");
  const place = { dataType, tradedate, name };
  refuseWrongName(place);
  return place;
}

const ORIGINS: Record<wire.FileSummary["origin"], string> = {
  operator: "operator",
  builder: "edgetape, from quotes",
};

function show({ print }: Call, file: wire.FileSummary): void {
  const facts = `revision ${file.revision}, ${sizeText(file.sizeBytes)}, SHA-256 ${file.sha256}`;
  print(file, `${file.name} is ${fileStateOf(file)}: ${facts}.`);
}

/** Returns the state as text. In the state `verifying`, the file is already checked and waits for `files publish`. */
function fileStateOf({ state, stateNote }: wire.FileSummary): string {
  const word = state === "verifying" ? "added, not published yet" : state;
  return stateNote === "" ? word : `${word} (${stateNote})`;
}

/** Throws `CommandFailure` for an invalid name, before anything is read. */
export function refuseWrongName({ dataType, tradedate, name }: FilePlace): void {
  const problem = wire.fileNameProblem(dataType, tradedate, name);
  if (problem !== null) throw new UsageFailure(`${name}: ${problem}.`);
}

/**
 * Opens the file at `path` for `place`. Throws `CommandFailure` for an unreadable or empty file, and for a Parquet file
 * with a page that cannot be decoded. With `root`, no link is followed and nothing outside `root` is read. The caller
 * closes the file.
 */
export async function openDailyFile(path: string, place: FilePlace, root?: string): Promise<LocalFile> {
  const opened = await openLocalFile(path, root);
  if (!opened.ok) {
    const { code } = opened.refusal;
    throw new CommandFailure(
      code === "ELOOP"
        ? `${path} is a link, and links are not followed; put the file itself there.`
        : `${path} cannot be read (${code}).`,
    );
  }
  const file = opened.value;
  const problem = await dailyFileProblem(path, file, place);
  if (problem === null) return file;
  await file.close();
  throw new CommandFailure(`${path} is refused: ${problem}.`);
}
