/** Copies texts: buttons with `data-copy` name the element whose text they copy. Shown by the script only. */

/**
 * Makes every such button below `root` work; once each.
 *
 * @param {ParentNode} root
 */
export function enableCopying(root) {
  for (const button of root.querySelectorAll("button[data-copy][hidden]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const { copy = "", done = "" } = button.dataset;
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(copy);
      if (source === null || !(await copied(source))) return;
      button.textContent = done;
      setTimeout(() => {
        button.textContent = words;
      }, 1600);
    });
  }
}

/**
 * Browsers lend the clipboard to https pages only; the older way works on plain http too.
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

enableCopying(document);
