/** Copies texts: buttons with `data-copy` name the element whose text they copy. Shown by the script only. */

/** Makes every such button below `root` work; once each. */
export function enableCopying(root = document) {
  for (const button of root.querySelectorAll("button[data-copy][hidden]")) {
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (!(await copied(document.getElementById(button.dataset.copy)))) return;
      button.textContent = button.dataset.done;
      setTimeout(() => {
        button.textContent = words;
      }, 1600);
    });
  }
}

/* Browsers lend the clipboard to https pages only; the older way works on plain http too. */
async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}

if (globalThis.document !== undefined) enableCopying();
