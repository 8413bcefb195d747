/** The data that the page contains for its scripts, and helpers that create elements. */

/**
 * The data in the page: the operation, the messages, the URL for requests.
 *
 * @typedef {object} Known
 * @property {import("../messages-try.ts").TryMessages} messages
 * @property {string} language
 * @property {string} apiUrl
 * @property {string} apiname
 * @property {string} formToken
 */

/**
 * Returns the element with this id. Throws if the page has none.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function part(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** @type {Known} */
export const known = JSON.parse(part("known").textContent ?? "");

export const { messages } = known;

/**
 * Returns a new element with text, classes, attributes and children.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | undefined>} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, { text, className, ...attributes } = {}, children = []) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className !== undefined) made.className = className;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value ?? "");
  made.append(...children);
  return made;
}

/**
 * Returns a number with its digits in groups of three.
 *
 * @param {number} count
 */
export function countText(count) {
  return count.toLocaleString("en");
}

/**
 * Returns `sentence` with each `{name}` replaced by `values.name`.
 *
 * @param {string} sentence
 * @param {Record<string, string | number>} values
 */
export function filled(sentence, values) {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/**
 * Adds the keyboard behaviour of a `role="tablist"`: arrow keys move between the tabs, Tab moves into the panel.
 *
 * @param {HTMLElement} list
 * @param {(id: string) => void} [onSelect] called with the id of each tab that is chosen
 */
export function enableTabs(list, onSelect = () => {}) {
  /** @param {HTMLElement} tab */
  const choose = (tab) => {
    select(tab);
    onSelect(tab.id);
  };
  list.addEventListener("click", ({ target }) => {
    const tab = target instanceof Element ? target.closest('[role="tab"]') : null;
    if (tab instanceof HTMLElement) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const tabs = tabsOf(list, ":not([hidden])");
    const at = event.target instanceof HTMLElement ? tabs.indexOf(event.target) : -1;
    /** @type {Record<string, number>} */
    const places = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    const to = places[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    choose(next);
  });
}

/**
 * Shows the panel of `tab` and hides the panels of the other tabs.
 *
 * @param {HTMLElement} tab
 */
export function select(tab) {
  if (tab.parentElement === null) return;
  for (const each of tabsOf(tab.parentElement)) {
    const isChosen = each === tab;
    each.setAttribute("aria-selected", String(isChosen));
    each.tabIndex = isChosen ? 0 : -1;
    part(each.getAttribute("aria-controls") ?? "").hidden = !isChosen;
  }
}

/**
 * @param {HTMLElement} list
 * @param {string} [which]
 * @returns {HTMLElement[]}
 */
function tabsOf(list, which = "") {
  return [...list.querySelectorAll(`[role="tab"]${which}`)].filter((tab) => tab instanceof HTMLElement);
}
