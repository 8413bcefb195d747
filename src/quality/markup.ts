/** An HTML template that escapes all inserted values except markup. */

/** HTML that can be inserted unchanged. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Inserted = Markup | string | readonly Markup[];

/**
 * Returns the template with its values inserted; texts are escaped for elements and quoted attributes.
 *
 * @example html`<td>${"a < b"}</td>`.text // "<td>a &lt; b</td>"
 */
export function html(parts: TemplateStringsArray, ...values: readonly Inserted[]): Markup {
  return new Markup(parts.map((part, place) => part + inserted(values[place])).join(""));
}

/** Marks text as HTML or CSS that needs no escaping. */
export function raw(text: string): Markup {
  return new Markup(text);
}

function inserted(value: Inserted | undefined): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  return typeof value === "string" ? escaped(value) : value.map(({ text }) => text).join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
