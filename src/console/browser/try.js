/** Try it: keeps the programs beside the form in step with it, runs the request, shows the answer. */
import { addPage, clearAnswer, save, say, showAnswer, shownWalk } from "./answer.js";
import { enableCopying } from "./copy.js";
import { known, part, words } from "./known.js";
import { bodyOf, fileOf, programs } from "./request.js";
import { ask, idText, quotaText, readFile, retryText } from "./run.js";
import { countText, element, filled } from "./table.js";
import { enableTabs } from "./tabs.js";

const form = part("query");

/** The run in progress, or null. */
let running = null;

form.addEventListener("input", followForm);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void runForm();
});
part("stop").addEventListener("click", () => running?.abort());
part("next-page").addEventListener("click", () => void nextPages(1));
part("all-pages").addEventListener("click", () => void nextPages(Number.POSITIVE_INFINITY));
enableTabs(part("program-tabs"));
enableCopying();
followForm();
part("run").disabled = false;

function bodyFromForm() {
  const fields = [...form.querySelectorAll("input:enabled, select")];
  const values = fields.map(({ name, value, dataset }) => ({
    name,
    value,
    numeric: dataset.numeric === "yes",
    beside: dataset.beside === "yes",
  }));
  return bodyOf(known.apiname, values);
}

function followForm() {
  // A file is always the whole day: what would only be refused beside it cannot be filled in.
  const isFile = form.elements.format?.value === "parquet";
  for (const name of ["start_time", "end_time", "page_size"]) {
    if (form.elements[name] !== undefined) form.elements[name].disabled = isFile;
  }
  for (const [name, text] of Object.entries(programs(bodyFromForm(), known.apiUrl))) {
    part(`text-${name}`).textContent = text;
  }
  // Security and day go along to the other operations.
  for (const link of document.querySelectorAll(".operations a")) {
    const address = new URL(link.href);
    for (const name of ["symbol", "tradedate"]) {
      const value = form.elements[name]?.value ?? "";
      if (value !== "") address.searchParams.set(name, value);
    }
    link.href = address;
  }
}

/** The page's address says what was run: it can be kept, sent to a colleague, and loaded again. */
function keepInAddress({ params, ...beside }) {
  const { fields } = beside;
  const values = { op: known.apiname, ...params, ...(fields === undefined ? {} : { fields }) };
  history.replaceState(null, "", `?${new URLSearchParams(values)}`);
}

async function runForm() {
  const body = bodyFromForm();
  keepInAddress(body);
  await asOnlyRun(async (signal) => {
    const result = await timed(body, signal);
    if (result.file) return saveFile(result, body, signal);
    clearAnswer();
    if (result.answer !== undefined) showAnswer(body, result.answer, result.text);
    bringIntoSight();
  });
}

/** Below a telephone's whole form nobody would see that the answer came. */
function bringIntoSight() {
  if (part("outcome").getBoundingClientRect().bottom > window.innerHeight) part("answer").scrollIntoView();
}

/** Goes on with the walk that is shown, `count` pages at most. Of one that goes wrong the rows so far stay. */
async function nextPages(count) {
  await asOnlyRun(async (signal) => {
    for (let page = 0; page < count && shownWalk().cursor !== null && !signal.aborted; page++) {
      const { body, cursor } = shownWalk();
      const result = await timed({ ...body, params: { ...body.params, cursor } }, signal);
      if (result.answer?.code !== 200) return;
      addPage(result.answer, result.text);
    }
  });
}

/** One run at a time: the account has one slot. Buttons stay where they are, and keep the keyboard. */
async function asOnlyRun(run) {
  if (running !== null) return;
  running = new AbortController();
  setRunning(true);
  try {
    await run(running.signal);
  } finally {
    running = null;
    setRunning(false);
  }
}

function setRunning(isRunning) {
  part("run").setAttribute("aria-disabled", String(isRunning));
  part("stop").disabled = !isRunning;
  part("views").setAttribute("aria-busy", String(isRunning));
  if (isRunning) say(null, [words.running]);
}

/** Asks, and says what became of it. */
async function timed(body, signal) {
  const startedMs = performance.now();
  const result = await ask(body, signal);
  const { response } = result;
  if (result.failed !== undefined) {
    say(null, [result.failed]);
    if (result.reload) part("outcome").append(" ", element("a", { href: location.href, text: words.reload }));
  } else if (result.answer !== undefined) {
    const { code, message, data } = result.answer;
    const took = `${Math.round(performance.now() - startedMs)} ms`;
    const rows =
      data?.items === undefined ? "" : filled(words.rowCount, { count: countText(data.items.length) });
    const facts = [rows, took, quotaText(response), idText(response)];
    // A refusal's message ends with its reason and the request's id.
    say(code, code === 200 ? facts : [message, retryText(response), quotaText(response)]);
  }
  return { ...result, startedMs };
}

/** Reads the file with a progress bar and hands it over, when it came whole only. */
async function saveFile({ response, startedMs }, body, signal) {
  clearAnswer();
  part("progress").hidden = false;
  const progress = (bytes, total) => {
    part("bar").value = total === 0 ? 0 : bytes / total;
    part("bar-text").textContent = `${sizeText(bytes)} / ${sizeText(total)}`;
  };
  let read;
  try {
    read = await readFile(response, progress);
  } catch {
    say(null, [signal.aborted ? words.stopped : words.brokenOff, idText(response)]);
    return;
  }
  const disposition = response.headers.get("Content-Disposition") ?? "";
  const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? fileOf(body);
  const link = save(read.blob, name);
  link.textContent = filled(words.save, { name });
  const rows = countText(Number(response.headers.get("X-Row-Count") ?? 0));
  part("file").replaceChildren(link, ` ${filled(words.saved, { size: sizeText(read.bytes), rows })}`);
  part("file").hidden = false;
  const took = `${Math.round(performance.now() - startedMs)} ms`;
  say(200, [took, quotaText(response), idText(response)]);
  bringIntoSight();
}

function sizeText(bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
}
