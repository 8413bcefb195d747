/**
 * Copies texts: a button with `data-copy` names the element whose text it copies. The script marks the document, and
 * the style shows such buttons only in a marked document.
 */
document.documentElement.classList.add("scripted");

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-copy]") : null;
  if (!(button instanceof HTMLButtonElement) || button.classList.contains("done")) return;
  const { copy = "", done = "" } = button.dataset;
  const source = document.getElementById(copy);
  if (source === null || !(await copied(source))) return;
  const label = button.textContent;
  button.textContent = done;
  button.classList.add("done");
  setTimeout(() => {
    button.textContent = label;
    button.classList.remove("done");
  }, 1600);
});

/**
 * Copies the text of `source` and returns whether that succeeded. Browsers offer the clipboard API on https pages only;
 * the older command works on plain http too.
 *
 * @param {HTMLElement} source
 */
async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return document.execCommand("copy");
  }
}
