/** The page's script: it copies commands. Everything else works without it. */

export const SCRIPT = `"use strict";
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const words = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (!(await copied(source))) return;
    button.textContent = button.dataset.done;
    button.classList.add("done");
    setTimeout(() => {
      button.textContent = words;
      button.classList.remove("done");
    }, 1600);
  });
}
/* Browsers lend the clipboard to https pages only; the older way works on plain http too. */
async function copied(source) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(source.textContent);
      return true;
    } catch {}
  }
  getSelection().selectAllChildren(source);
  return document.execCommand("copy");
}
`;
