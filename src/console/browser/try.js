/** Try it: keeps the programs beside the form in step with it, runs the request, shows the answer. */
import { enableCopying } from "./copy.js";
import { showPicture } from "./picture.js";
import { bodyOf, fileOf, programs } from "./request.js";
import { countText, element, filled, rowsOf, showRows } from "./table.js";

/** More of an answer's text than this makes a page slow and tells nobody anything. */
const JSON_SHOWN = 200_000;

const known = JSON.parse(document.getElementById("known").textContent);
const { words } = known;
const part = (id) => document.getElementById(id);
const form = part("query");

/** The pages of one walk: the body of its first request, all rows so far, and where it goes on. */
let walk = null;
let running = null;

form.addEventListener("input", () => {
  excludeFields();
  showPrograms();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void run(bodyFromForm(), false);
});
part("stop").addEventListener("click", () => running?.abort());
part("next-page").addEventListener("click", () => void nextPage());
part("all-pages").addEventListener("click", () => void allPages());
for (const tabs of document.querySelectorAll('[role="tablist"]')) enableTabs(tabs);
enableCopying();
excludeFields();
showPrograms();

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

/** A file is always the whole day: what would only be refused beside it cannot be filled in. */
function excludeFields() {
  const isFile = form.elements.format?.value === "parquet";
  for (const name of ["start_time", "end_time", "page_size"]) {
    if (form.elements[name] !== undefined) form.elements[name].disabled = isFile;
  }
}

function showPrograms() {
  for (const [name, text] of Object.entries(programs(bodyFromForm(), known.apiUrl))) {
    part(`text-${name}`).textContent = text;
  }
}

/** Runs one request; `isNext` adds its rows to those of the walk. False when there is nothing to go on with. */
async function run(body, isNext) {
  running = new AbortController();
  setRunning(true);
  if (!isNext) clearAnswer();
  const startedMs = performance.now();
  try {
    const response = await fetch("/console/api", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Accept-Language": known.language,
        "X-Form-Token": known.formToken,
      },
      body: JSON.stringify(body),
      signal: running.signal,
    });
    if (response.status === 401) return void location.assign("/console/");
    const isFile = (response.headers.get("Content-Type") ?? "").includes("parquet");
    return isFile
      ? await saveFile(response, fileOf(body), startedMs)
      : await showAnswer(response, body, isNext, startedMs);
  } catch {
    part("outcome").textContent = words.failed;
    part("outcome").className = "outcome not";
    return false;
  } finally {
    setRunning(false);
  }
}

function setRunning(isRunning) {
  part("run").disabled = isRunning;
  part("stop").hidden = !isRunning;
  for (const id of ["next-page", "all-pages"]) part(id).disabled = isRunning;
  if (isRunning) part("outcome").textContent = words.running;
}

function clearAnswer() {
  walk = null;
  part("outcome").className = "outcome";
  for (const id of ["views", "paging", "progress", "file"]) part(id).hidden = true;
}

async function showAnswer(response, body, isNext, startedMs) {
  const text = await response.text();
  const answer = JSON.parse(text);
  if (answer.error !== undefined) return void location.reload();
  const { code, message, data } = answer;
  const facts = [
    `${Math.round(performance.now() - startedMs)} ms`,
    quotaText(response),
    response.headers.get("X-Request-Id"),
  ];
  showOutcome(code, code === 200 ? facts : [message, ...facts.slice(0, 2)]);
  // Of a walk that went wrong in the middle the rows so far stay.
  if (code !== 200 && isNext) return false;
  const { fields, rows } = code === 200 ? rowsOf(data) : { fields: [], rows: [] };
  walk = {
    body: isNext ? walk.body : body,
    fields,
    rows: isNext ? walk.rows.concat(rows) : rows,
    pages: isNext ? walk.pages + 1 : 1,
    cursor: data?.next_cursor ?? null,
    text,
    isOrders: code === 200 && data.next_cursor !== undefined,
  };
  showWalk(code === 200);
  return walk.cursor !== null;
}

function showOutcome(code, facts) {
  part("outcome").className = `outcome ${code === 200 ? "ok" : "not"}`;
  part("outcome").replaceChildren(
    element("span", { text: String(code), className: `code ${code === 200 ? "ok" : "not"}` }),
    ` ${facts.filter((fact) => fact).join(" · ")}`,
  );
}

/** What is left today, from the headers that programs get too. */
function quotaText(response) {
  const left = [...(response.headers.get("RateLimit") ?? "").matchAll(/"(\w+)";r=(\d+)/g)];
  return left.map(([, name, count]) => `${countText(Number(count))} ${name} ${words.left}`).join(", ");
}

function showWalk(isTable) {
  const { fields, rows, cursor, pages, text, isOrders } = walk;
  part("views").hidden = false;
  part("tab-view-table").hidden = !isTable;
  part("tab-view-picture").hidden = !isOrders;
  if (isTable) showRows(part("view-table"), { fields, rows, more: cursor !== null, words });
  showJson(text);
  const chosen = document.querySelector('#views [aria-selected="true"]:not([hidden])');
  select(chosen ?? part(isTable ? "tab-view-table" : "tab-view-json"));
  part("paging").hidden = !isOrders || (cursor === null && pages === 1);
  part("next-page").hidden = cursor === null;
  part("all-pages").hidden = cursor === null;
  part("pages").textContent = filled(words.pages, { count: pages });
}

function showJson(text) {
  const pre = element("pre", { tabindex: "0", text: text.slice(0, JSON_SHOWN), className: "json" });
  const sizes = { shown: countText(JSON_SHOWN), size: countText(text.length) };
  const note =
    text.length > JSON_SHOWN
      ? [element("p", { className: "quiet", text: filled(words.truncated, sizes) })]
      : [];
  part("view-json").replaceChildren(...note, pre);
}

function drawPicture() {
  if (walk === null) return;
  showPicture(part("view-picture"), { fields: walk.fields, rows: walk.rows, words, fill: filled });
}

function nextPage() {
  const { body, cursor } = walk;
  return run({ ...body, params: { ...body.params, cursor } }, true);
}

async function allPages() {
  while (await nextPage()) if (running.signal.aborted) return;
}

/** Reads the file with a progress bar and offers it; the browser keeps it only when it came whole. */
async function saveFile(response, name, startedMs) {
  const total = Number(response.headers.get("Content-Length") ?? 0);
  part("progress").hidden = false;
  const pieces = [];
  let bytes = 0;
  for await (const piece of piecesOf(response.body)) {
    pieces.push(piece);
    bytes += piece.length;
    part("bar").value = total === 0 ? 0 : bytes / total;
    part("bar-text").textContent = `${sizeText(bytes)} / ${sizeText(total)}`;
  }
  if (total !== 0 && bytes !== total) throw new Error("the file broke off");
  const served = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? name;
  const url = URL.createObjectURL(new Blob(pieces, { type: "application/vnd.apache.parquet" }));
  const link = element("a", {
    href: url,
    download: served,
    text: filled(words.save, { name: served }),
    className: "button",
  });
  const rows = countText(Number(response.headers.get("X-Row-Count") ?? 0));
  part("file").replaceChildren(link, ` ${filled(words.saved, { size: sizeText(bytes), rows })}`);
  part("file").hidden = false;
  showOutcome(200, [
    `${Math.round(performance.now() - startedMs)} ms`,
    quotaText(response),
    response.headers.get("X-Request-Id"),
  ]);
  link.click();
  return false;
}

/* Not every browser lets a body be iterated. */
async function* piecesOf(body) {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function sizeText(bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
}

/** Tabs as the keyboard expects them: arrows go between them, Tab into the panel. */
function enableTabs(list) {
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab !== null) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const tabs = [...list.querySelectorAll('[role="tab"]:not([hidden])')];
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.focus();
    select(next);
  });
}

function select(tab) {
  for (const each of tab.parentElement.querySelectorAll('[role="tab"]')) {
    const isChosen = each === tab;
    each.setAttribute("aria-selected", String(isChosen));
    each.tabIndex = isChosen ? 0 : -1;
    part(each.getAttribute("aria-controls")).hidden = !isChosen;
  }
  if (tab.id === "tab-view-picture") drawPicture();
}
