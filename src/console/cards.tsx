/** What a holder has, one card each: its facts, and what can be done to it behind a press that asks back. */
import type { Child } from "hono/jsx";
import { FormToken } from "./layout.tsx";

/** A labelled value; `wide` ones have a line of their own. */
export interface Fact {
  label: string;
  value: Child;
  wide?: true;
}

/** The card of one key or share, with its acts as children. */
export function Card({ name, facts, children }: { name: string; facts: readonly Fact[]; children?: Child }) {
  return (
    <li class="card held">
      <div>
        <h2>{name}</h2>
        <dl class="inline">
          {facts.map(({ label, value, wide }) => (
            <div class={wide ? "wide" : undefined}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div class="acts">{children}</div>
    </li>
  );
}

interface ActProps {
  summary: string;
  /** Where its form is posted. */
  action: string;
  button: string;
  /** `danger` for what cannot be undone. */
  kind: "primary" | "danger";
  account: { formToken: string };
  children?: Child;
}

/** An act: opened by a press, carried out by a second one on its button. */
export function Act({ summary, action, button, kind, account, children }: ActProps) {
  return (
    <details class="act">
      <summary>{summary}</summary>
      <form method="post" action={action}>
        <FormToken account={account} />
        {children}
        <button type="submit" class={kind}>
          {button}
        </button>
      </form>
    </details>
  );
}
