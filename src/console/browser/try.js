/** Script of the page Try it: updates the programs beside the form, runs the request, and shows the answer. */
import { addPage, clearAnswer, save, say, showAnswer, shownPages } from "./answer.js";
import { countText, element, enableTabs, filled, known, messages, part } from "./dom.js";
import { bodyOf, fileOf, programs } from "./request.js";
import { ask, idText, quotaText, readFile, retryText } from "./run.js";

/** @typedef {import("./request.js").Body} Body */

const form = /** @type {HTMLFormElement} */ (part("query"));
const runButton = /** @type {HTMLButtonElement} */ (part("run"));
const stopButton = /** @type {HTMLButtonElement} */ (part("stop"));

/**
 * The run in progress, or null.
 *
 * @type {AbortController | null}
 */
let running = null;

form.addEventListener("input", followForm);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void runForm();
});
stopButton.addEventListener("click", () => running?.abort());
part("next-page").addEventListener("click", () => void nextPages(1));
part("all-pages").addEventListener("click", () => void nextPages(Number.POSITIVE_INFINITY));
enableTabs(part("program-tabs"));
followForm();
runButton.disabled = false;

/**
 * Returns the field of the form with this name, or null.
 *
 * @param {string} name
 */
function fieldOf(name) {
  const field = form.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field : null;
}

function bodyFromForm() {
  /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */
  const fields = form.querySelectorAll("input:enabled, select");
  const values = [...fields].map(({ name, value, dataset }) => ({
    name,
    value,
    numeric: dataset.numeric === "yes",
    beside: dataset.beside === "yes",
  }));
  return bodyOf(known.apiname, values);
}

function followForm() {
  // A file always contains the whole day. The fields that the service would refuse for a file are disabled.
  const isFile = fieldOf("format")?.value === "parquet";
  for (const name of ["start_time", "end_time", "page_size"]) {
    const field = fieldOf(name);
    if (field !== null) field.disabled = isFile;
  }
  for (const [name, text] of Object.entries(programs(bodyFromForm(), known.apiUrl))) {
    part(`text-${name}`).textContent = text;
  }
  // The links to other operations keep the security and the day.
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const operations = document.querySelectorAll(".operations a");
  for (const link of operations) {
    const address = new URL(link.href);
    for (const name of ["symbol", "tradedate"]) {
      const value = fieldOf(name)?.value ?? "";
      if (value !== "") address.searchParams.set(name, value);
    }
    link.href = String(address);
  }
}

/**
 * Writes the query into the page's URL, so that it can be saved, shared and loaded again.
 *
 * @param {Body} body
 */
function keepInAddress({ params, fields }) {
  const address = new URLSearchParams({ op: known.apiname });
  for (const [name, value] of Object.entries({ ...params, fields })) {
    if (value !== undefined) address.set(name, String(value));
  }
  history.replaceState(null, "", `?${address}`);
}

async function runForm() {
  const body = bodyFromForm();
  keepInAddress(body);
  await asOnlyRun(async (signal) => {
    const result = await timed(body, signal);
    const { response, answer, text = "" } = result;
    if (result.file && response !== undefined)
      return saveFile(response, { body, signal, startedMs: result.startedMs });
    clearAnswer();
    if (answer !== undefined) showAnswer(body, answer, text);
    bringIntoSight();
  });
}

/** Scrolls to the answer, which is below the form on a phone and would not be noticed there. */
function bringIntoSight() {
  if (part("outcome").getBoundingClientRect().bottom > window.innerHeight) part("answer").scrollIntoView();
}

/**
 * Reads at most `count` further pages of the shown query. After a failure the rows read so far stay.
 *
 * @param {number} count
 */
async function nextPages(count) {
  await asOnlyRun(async (signal) => {
    const startedMs = performance.now();
    for (let page = 0; page < count && !signal.aborted; page++) {
      const shown = shownPages();
      if (shown === null || shown.cursor === null) return;
      const { body, cursor } = shown;
      const next = { ...body, params: { ...body.params, cursor } };
      const { response, answer, text = "" } = await timed(next, signal);
      if (response === undefined || answer?.code !== 200) return;
      addPage(answer, text);
      // The number of rows on all pages.
      const rows = filled(messages.rowCount, { count: countText(shown.tables[0]?.rows.length ?? 0) });
      const pages = filled(messages.pages, { count: shown.pages });
      say(200, [rows, pages, tookText(startedMs), quotaText(response), idText(response)]);
    }
  });
}

/**
 * Runs `run`, unless another run is in progress, because the account has one slot. Buttons stay in place and keep the
 * keyboard focus.
 *
 * @param {(signal: AbortSignal) => Promise<void>} run
 */
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

/** @param {boolean} isRunning */
function setRunning(isRunning) {
  runButton.setAttribute("aria-disabled", String(isRunning));
  stopButton.disabled = !isRunning;
  part("views").setAttribute("aria-busy", String(isRunning));
  if (isRunning) say(null, [messages.running]);
}

/**
 * Sends the request and shows its outcome.
 *
 * @param {Body} body
 * @param {AbortSignal} signal
 */
async function timed(body, signal) {
  const startedMs = performance.now();
  const result = await ask(body, signal);
  const { response, answer } = result;
  if (result.failed !== undefined) {
    say(null, [result.failed]);
    if (result.reload)
      part("outcome").append(" ", element("a", { href: location.href, text: messages.reload }));
  } else if (response !== undefined && answer !== undefined) {
    const { code, message, data } = answer;
    const rows =
      data?.items === undefined ? "" : filled(messages.rowCount, { count: countText(data.items.length) });
    const facts = [rows, tookText(startedMs), quotaText(response), idText(response)];
    // A refusal's message ends with its reason and the request's id.
    say(code, code === 200 ? facts : [message, retryText(response), quotaText(response)]);
  }
  return { ...result, startedMs };
}

/** @param {number} startedMs */
function tookText(startedMs) {
  return `${Math.round(performance.now() - startedMs)} ms`;
}

/**
 * Reads the file with a progress bar and saves it if it is complete.
 *
 * @param {Response} response
 * @param {{ body: Body, signal: AbortSignal, startedMs: number }} run
 */
async function saveFile(response, { body, signal, startedMs }) {
  clearAnswer();
  part("progress").hidden = false;
  const bar = /** @type {HTMLProgressElement} */ (part("bar"));
  /**
   * @param {number} bytes
   * @param {number} total
   */
  const progress = (bytes, total) => {
    bar.value = total === 0 ? 0 : bytes / total;
    part("bar-text").textContent = `${sizeText(bytes)} / ${sizeText(total)}`;
  };
  let read;
  try {
    read = await readFile(response, progress);
  } catch {
    say(null, [signal.aborted ? messages.stopped : messages.brokenOff, idText(response)]);
    return;
  }
  const disposition = response.headers.get("Content-Disposition") ?? "";
  const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? fileOf(body) ?? "";
  const link = save(read.blob, name);
  link.textContent = filled(messages.save, { name });
  const rows = countText(Number(response.headers.get("X-Row-Count") ?? 0));
  part("file").replaceChildren(link, ` ${filled(messages.saved, { size: sizeText(read.bytes), rows })}`);
  part("file").hidden = false;
  say(200, [tookText(startedMs), quotaText(response), idText(response)]);
  bringIntoSight();
}

/** @param {number} bytes */
function sizeText(bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
}
