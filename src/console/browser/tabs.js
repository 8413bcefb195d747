/** Tabs as the keyboard expects them: arrows go between them, Tab into the panel. */

/** Makes a `role="tablist"` work; `onSelect` hears the id of each tab that is chosen. */
export function enableTabs(list, onSelect = () => {}) {
  const choose = (tab) => {
    select(tab);
    onSelect(tab.id);
  };
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab !== null) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const tabs = [...list.querySelectorAll('[role="tab"]:not([hidden])')];
    const at = tabs.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    choose(next);
  });
}

/** Shows the panel of `tab` and hides those of the others. */
export function select(tab) {
  for (const each of tab.parentElement.querySelectorAll('[role="tab"]')) {
    const isChosen = each === tab;
    each.setAttribute("aria-selected", String(isChosen));
    each.tabIndex = isChosen ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = !isChosen;
  }
}
