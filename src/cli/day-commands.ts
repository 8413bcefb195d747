/**
 * `edgetape days` and `edgetape day`: show the days of the service, and withdraw, restore, publish or adopt one. An
 * action reads the day, asks for confirmation, and sends the revision number that it has read. If two operators act at
 * the same time, only one of them therefore succeeds.
 */
import { join } from "node:path";
import * as wire from "../admin/wire.ts";
import { REPLACED_KEPT_MS } from "../base/retention.ts";
import { type BeijingDate, beijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { readSheet, sheetName, sheetPageName } from "../pack-builder/check-packs.ts";
import { sheetLines } from "../quality/sheet-text.ts";
import { type AdminClient, HASHING } from "./admin-client.ts";
import { auctionBeside, withdrawAuction } from "./auction-publishing.ts";
import { type Call, command, DAY_ARGUMENT, group, localCommand } from "./command.ts";
import { countText, revisionArgument, sizeText, table } from "./command-line.ts";
import { countsOf, type DatasetOptions, datasetsOf, dayPath, inDataset } from "./dataset-days.ts";
import { CommandFailure, EXIT, ServiceRefusal } from "./exit.ts";
import * as option from "./option.ts";

/** Returns the loaded days of `dataset` built before `version`, by default the service's version. */
export function builtBefore(client: AdminClient, version: string | undefined, dataset: DatasetName) {
  const query = version === undefined ? "" : `?version=${version}`;
  const path = inDataset(`/admin/days/built-before${query}`, dataset);
  return client.get(wire.builtBeforeSchema, path);
}

/** Returns the answers by dataset, and the first also at the top level, as in earlier versions. */
function answersOf<T extends object>(answers: readonly [DatasetName, T][]): object {
  return { ...answers[0]?.[1], datasets: Object.fromEntries(answers) };
}

async function listBuiltBefore({ client, print }: Call, version: string, of: DatasetOptions): Promise<void> {
  const answers: [DatasetName, wire.BuiltBefore][] = [];
  for (const dataset of datasetsOf(of)) answers.push([dataset, await builtBefore(client, version, dataset)]);
  const rows = answers.flatMap(([dataset, { days }]) =>
    days.map(({ tradedate, revision, state, builderVersion }) => [
      dayName(tradedate, dataset),
      String(revision),
      state,
      builderVersion ?? "none",
    ]),
  );
  const none = `No loaded day was built by a version before ${version}.`;
  print(answersOf(answers), table(["day", "revision", "state", "builder"], rows, none));
}

export const days = command("days", {
  says: "list the days of a month: loaded, expected and missing ones",
  options: {
    month: option.month("the month (default: the current one)"),
    builtBefore: option.version(
      "instead of a month, list the loaded days whose pack was built by a version earlier than <version> or does not name its version",
    ),
    dataset: option.dataset("only this dataset (default: all)"),
  },
  async run(call, { month = beijingDate(Date.now()).slice(0, 6), builtBefore, ...of }) {
    if (builtBefore !== undefined) return listBuiltBefore(call, builtBefore, of);
    const answers: [DatasetName, wire.DayList][] = [];
    for (const dataset of datasetsOf(of)) {
      const path = inDataset(`/admin/days?month=${month}`, dataset);
      const answer = await call.client.get(wire.dayListSchema, path);
      // A dataset without a loaded day in the month is not listed, because the deployment may not have the dataset.
      const isKnown = answer.days.some(({ revision }) => revision !== null);
      if (isKnown || dataset === (of.dataset ?? "orders")) answers.push([dataset, answer]);
    }
    const lines = answers.flatMap(([dataset, { days }]) => [
      ...(answers.length > 1 ? ["", `${dataset} of ${month}`, ""] : []),
      ...table(
        ["day", "revision", "state", "securities", DATASETS[dataset].rows, "size", "published", "note"],
        days.map(overviewRow),
        `No day of ${month} is loaded or expected.`,
      ),
    ]);
    call.print(answersOf(answers), lines);
  },
});

function overviewRow(day: wire.DayOverview): string[] {
  const number = (value: number | null) => (value === null ? "-" : countText(value));
  return [
    day.tradedate,
    number(day.revision),
    day.state,
    number(day.securities),
    number(day.rows),
    day.sizeBytes === null ? "-" : sizeText(day.sizeBytes),
    day.publishedAt ?? "-",
    day.note,
  ];
}

const show = command("show", {
  says: "show the day, its comparison with other days, and its revisions",
  isDefault: true,
  args: DAY_ARGUMENT,
  options: { dataset: option.dataset("only this dataset (default: all datasets of the day)") },
  async run({ client, print }, of, tradedate: BeijingDate) {
    const answers: [DatasetName, wire.DayDetail][] = [];
    let absent: ServiceRefusal | undefined;
    for (const dataset of datasetsOf(of)) {
      await client.get(wire.dayDetailSchema, dayPath(tradedate, dataset)).then(
        (answer) => answers.push([dataset, answer]),
        (error: unknown) => {
          if (!(error instanceof ServiceRefusal) || error.refused.httpStatus !== 404) throw error;
          absent ??= error;
        },
      );
    }
    if (answers.length === 0 && absent !== undefined) throw absent;
    const lines = answers.flatMap((each, place) => [...(place === 0 ? [] : [""]), ...detailLines(...each)]);
    print(answersOf(answers), lines);
  },
});

/** The dataset of a command that acts on one day. */
const OF_DAY = option.dataset("the dataset of the day").orElse("orders");

/** The options of every action on a day. */
const ACTION = {
  dataset: OF_DAY,
  ifRevision: option.revision("act only if this is still the day's newest revision"),
  revision: option.refused(
    "<n>",
    "refused: was mistaken for --to",
    "use --if-revision to act on the newest revision only if it has this number, or `day restore --to` to choose the revision to serve.",
  ),
  yes: option.YES,
};

/** The parsed options of an action. Without `ifRevision`, the command acts on the newest revision. */
type ActionOptions = Pick<option.Values<typeof ACTION>, "dataset" | "ifRevision">;

const withdraw = command("withdraw", {
  says: "stop serving a day (and, for quotes, its auction pack): immediately in shares, within 10 s on the API",
  args: DAY_ARGUMENT,
  options: { note: option.text("<text>", "the reason, for other operators"), ...ACTION },
  async run(call, { note = "", ...options }, date: BeijingDate) {
    const seen = await look(call, date, options);
    const hasAuction = options.dataset === "quotes";
    const also = hasAuction ? ", and the auction pack made from them" : "";
    await call.confirm(`Withdraw ${factsOf(seen)}${also}?`);
    const result = await act(call, seen, options, "withdraw", { note });
    const { day, changed, actor } = result;
    const auction = hasAuction ? await withdrawAuction(call.client, date, note) : null;
    call.print({ ...result, auction }, [
      changed
        ? `${calledOf(day)}, revision ${day.revision}, is withdrawn.`
        : `${calledOf(day)}, revision ${day.revision}, was already withdrawn by ${actor}.`,
      ...(auction === null ? [] : [auction.note]),
    ]);
  },
});

const TO = option.parsed("<revision>", revisionArgument);

const restore = command("restore", {
  says: "serve the content of an earlier revision again, under a new revision number",
  args: DAY_ARGUMENT,
  options: {
    to: TO(
      "serve the content of this revision, even if it is withdrawn (default: the latest content before the current one that is neither withdrawn nor damaged)",
    ),
    ...ACTION,
  },
  help: "\n`edgetape day show <YYYYMMDD>` lists the day's revisions. A replaced revision can be restored for 7 days;\nthe list shows when that time ends.",
  async run(call, { to, ...options }, date: BeijingDate) {
    const seen = await look(call, date, options);
    const numbers = seen.revisions.map(({ revision }) => revision).sort((a, b) => a - b);
    if (to !== undefined && !numbers.includes(to)) {
      const listed = numbers.slice(-20).join(", ");
      throw new CommandFailure(`${date} has no revision ${to}. Its revisions: ${listed}.`);
    }
    const wanted = seen.revisions.find(({ revision }) => revision === to);
    const from = to === undefined ? "earlier content" : `the content of revision ${to}`;
    await call.confirm(`Serve ${from}${decisionOf(wanted)} in place of ${factsOf(seen)}?`);
    const result = await act(call, seen, options, "restore", { state: seen.day.state, to });
    const source = seen.revisions
      .filter(({ buildId }) => buildId === result.day.buildId)
      .reduce((newest, { revision }) => Math.max(newest, revision), 0);
    const content = seen.day.buildId === result.day.buildId ? "same" : "different";
    await printServed(call, result, content, `, with the content of revision ${source}`);
  },
});

const publish = command("publish", {
  says: "serve the current content under a new revision number; this ends a withdrawal",
  args: DAY_ARGUMENT,
  options: ACTION,
  async run(call, options, date: BeijingDate) {
    const seen = await look(call, date, options);
    const wanted = seen.revisions.find(({ revision }) => revision === seen.day.revision);
    await call.confirm(`Serve this content${decisionOf(wanted)} as a new revision: ${factsOf(seen)}?`);
    await printServed(call, await act(call, seen, options, "publish", { state: seen.day.state }), "same");
  },
});

function look({ client }: Call, date: BeijingDate, { dataset }: ActionOptions): Promise<wire.DayDetail> {
  return client.get(wire.dayDetailSchema, dayPath(date, dataset));
}

/** Sends an action on a revision of the day: the one from `--if-revision`, or else the newest one that was read. */
function act(
  { client }: Call,
  { day }: wire.DayDetail,
  { dataset, ifRevision }: ActionOptions,
  action: "withdraw" | "restore" | "publish",
  more: object,
): Promise<wire.DayChanged> {
  const body = { revision: ifRevision ?? day.revision, ...more };
  const path = dayPath(day.tradedate, dataset, `/${action}`);
  return client.post(wire.dayChangedSchema, path, { body, silenceMs: HASHING.silenceMs });
}

function factsOf({ day }: wire.DayDetail): string {
  return `${calledOf(day)}, revision ${day.revision} (${stateOf(day)}, ${countsOf(day)}, published ${day.publishedAt})`;
}

function calledOf({ tradedate, dataset = "orders" }: wire.DaySummary): string {
  return dayName(tradedate, dataset);
}

/** Returns a clause for the confirmation: who withdrew the revision's content. Returns `""` if no one withdrew it. */
function decisionOf(revision: wire.DayRevision | undefined): string {
  const withdrawn = revision?.withdrawn ?? null;
  if (withdrawn === null) return "";
  const note = withdrawn.note === "" ? "" : `: ${withdrawn.note}`;
  return `, which ${withdrawn.by} withdrew at ${withdrawn.at}${note},`;
}

/** Prints what is served now and, for quotes, what the operator should know about the day's auction pack. */
async function printServed(
  { client, print }: Call,
  result: { day: wire.DaySummary },
  content: "same" | "different",
  origin = "",
): Promise<void> {
  const { day } = result;
  const facts = `${countsOf(day)}, ${sizeText(day.sizeBytes)}`;
  const isQuotes = day.dataset === "quotes";
  const auction = isQuotes ? await auctionBeside(client, day.tradedate, content) : null;
  print({ ...result, auction }, [
    `${calledOf(day)} is served as revision ${day.revision}${origin}: ${facts}.`,
    ...(auction === null ? [] : [auction.note]),
  ]);
}

/** Returns the days with packs of `dataset` that are not in the catalog, oldest first. */
async function adoptableDays(client: AdminClient, dataset: DatasetName): Promise<wire.AdoptableDay[]> {
  const path = inDataset("/admin/days/adoptable", dataset);
  return (await client.get(wire.adoptableListSchema, path, HASHING)).days;
}

const adoptable = command("adoptable", {
  says: "list packs in R2 that are not in the catalog, for example newer ones after a restore",
  options: { dataset: option.dataset("only this dataset (default: all)") },
  async run({ client, print }, of) {
    const listed = await Array.fromAsync(datasetsOf(of), (dataset) => adoptableDays(client, dataset));
    const days = listed.flat();
    print({ days }, adoptableLines(days));
  },
});

/** Returns the packs as a table. */
export function adoptableLines(days: readonly wire.AdoptableDay[]): string[] {
  return table(
    ["day", "served now", "size", "uploaded", "object"],
    days.flatMap(({ dataset = "orders", tradedate, served, packs }) =>
      packs.map(({ objectKey, sizeBytes, uploadedAt }) => [
        dayName(tradedate, dataset),
        served === null ? "nothing" : `revision ${served}`,
        sizeText(sizeBytes),
        uploadedAt,
        objectKey,
      ]),
    ),
    "Every pack in R2 is in the catalog.",
  );
}

const adopt = command("adopt", {
  says: "adopt a pack that is in R2 but not in the catalog: check it and serve it as the day's next revision, without uploading it again",
  args: DAY_ARGUMENT,
  options: {
    dataset: OF_DAY,
    object: option.text("<key>", "the object key of the pack (default: the day's newest pack)"),
    sha256: option.text("<hex>", "the pack's SHA-256, if its object has none"),
    degraded: option.flag("mark the day as degraded, because its build left rows out"),
    force: option.flag("serve the pack even if the service finds the day implausible"),
    yes: option.YES,
  },
  async run(call, { dataset, object, sha256, degraded, force = false }, date: BeijingDate) {
    const called = dayName(date, dataset);
    const day = (await adoptableDays(call.client, dataset)).find(({ tradedate }) => tradedate === date);
    const pack = day?.packs.find(({ objectKey }) => object === undefined || objectKey === object);
    if (day === undefined || pack === undefined) {
      throw new CommandFailure(
        `R2 has no pack of ${called} that can be adopted; \`edgetape day adoptable\` lists the packs that can.`,
      );
    }
    const instead = day.served === null ? "" : ` in place of revision ${day.served}`;
    const facts = `${pack.objectKey} (${sizeText(pack.sizeBytes)}, uploaded ${pack.uploadedAt})`;
    await call.confirm(`Serve ${called} from ${facts}${instead}?`);
    const body: wire.AdoptDay = { objectKey: pack.objectKey, force, sha256, degraded };
    const path = dayPath(date, dataset, "/adopt");
    const request = { body, ...HASHING };
    await printServed(call, await call.client.post(wire.publishedSchema, path, request), "different");
  },
});

const quality = localCommand("quality", {
  says: "show the day's quality sheet, which `edgetape pack build` writes beside the packs",
  args: DAY_ARGUMENT,
  options: {
    folder: option.text("<folder>", "the folder of the day's packs").orElse("."),
    json: option.flag("print the sheet as JSON"),
  },
  help: "\nExit status 1: a check failed, or there is no sheet.",
  async run({ print }, { folder }, tradedate: BeijingDate) {
    const path = join(folder, sheetName(tradedate));
    const sheet = await readSheet(path);
    if ("problem" in sheet) {
      throw new CommandFailure(
        `The quality sheet ${path} cannot be shown: ${sheet.problem}. Name the folder of the day's packs with --folder, or build the packs again.`,
      );
    }
    print(sheet, [...sheetLines(sheet), `page        ${join(folder, sheetPageName(tradedate))}`]);
    if (sheet.verdict === "failed") process.exitCode = EXIT.failed;
  },
});

export const day = group("day", "show one day, withdraw it, restore earlier content, adopt a pack", [
  show,
  withdraw,
  restore,
  publish,
  adoptable,
  adopt,
  quality,
]);

/** Returns the day's state, its comparison with other days, and its revisions. */
export function detailLines(dataset: DatasetName, { day, comparison, revisions }: wire.DayDetail): string[] {
  const { rows } = DATASETS[dataset];
  const served = day.state === "available" ? "served" : "not served";
  const usual = (median: number) => (comparison.days === 0 ? "-" : countText(median));
  return [
    `${dayName(day.tradedate, dataset)}: revision ${day.revision} is ${served} (${stateOf(day)})`,
    "",
    ...table(
      ["exchange", rows, "usual", "securities", "usual", ""],
      comparison.markets.map((each) => [
        each.market,
        countText(each.rows),
        usual(each.medianRows),
        countText(each.securities),
        usual(each.medianSecurities),
        each.plausible ? "" : each.rows > each.medianRows ? "larger than usual" : "smaller than usual",
      ]),
    ),
    comparison.days === 0
      ? "(no other day is loaded to compare it with)"
      : `(usual: the median of the ${comparison.days} loaded days nearest to it)`,
    "",
    ...table(
      [
        ...["revision", "securities", rows, "size", "published", "replaced", "restorable until"],
        ...["builder", "build id", "decided"],
      ],
      revisions.map((each) => [
        String(each.revision),
        countText(each.securities),
        countText(each.rows),
        sizeText(each.sizeBytes),
        each.publishedAt,
        isLost(each) ? "lost" : (each.replacedAt ?? "-"),
        restorableText(each, revisions),
        each.builderVersion ?? "-",
        each.buildId,
        decidedText(each),
      ]),
    ),
  ];
}

/**
 * Returns whether the revision's time of replacement is before its time of publication. This happens only for lost
 * content, whose time of replacement `doctor` sets 7 days back.
 */
function isLost({ publishedAt, replacedAt }: wire.DayRevision): boolean {
  return replacedAt !== null && Date.parse(replacedAt) < Date.parse(publishedAt);
}

/**
 * Returns until when `day restore` can serve a revision's content again: for `REPLACED_KEPT_MS` after the last revision
 * with the same pack was replaced. Returns "-" while such a revision is current, and for damaged and lost content.
 */
function restorableText(own: wire.DayRevision, revisions: readonly wire.DayRevision[]): string {
  const { objectKey, damaged } = own;
  const replaced = revisions.filter((each) => each.objectKey === objectKey).map((each) => each.replacedAt);
  if (damaged !== null || isLost(own) || replaced.includes(null)) return "-";
  const lastMs = Math.max(...replaced.map((at) => Date.parse(at ?? "")));
  return beijingTimestamp(lastMs + REPLACED_KEPT_MS);
}

/** Returns why a revision's content is not served: its withdrawal or damage; empty when there is neither. */
function decidedText({ withdrawn, damaged }: wire.DayRevision): string {
  if (damaged !== null) return `damaged: ${damaged.note}`;
  if (withdrawn === null) return "";
  return `withdrawn by ${withdrawn.by}${withdrawn.note === "" ? "" : `: ${withdrawn.note}`}`;
}

/** Returns the state, whether rows were left out, and the note: the reason for the state, or what the day lacks. */
function stateOf({ state, degraded, note }: wire.DaySummary): string {
  return `${state}${degraded ? ", degraded" : ""}${note === "" ? "" : `: ${note}`}`;
}
