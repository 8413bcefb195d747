/** What the page tells its scripts: the operation, its words, where requests go. */

/** An element of the page by its id. */
export const part = (id) => document.getElementById(id);

/** `{words, language, apiUrl, apiname, formToken}`. */
export const known = JSON.parse(part("known").textContent);

export const { words } = known;
