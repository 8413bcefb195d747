/** The page with the password form, or with the reason why there is none. */
import { documentOf } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import { Layout } from "./layout.tsx";
import { MESSAGES } from "./messages.ts";

export interface PasswordFacts {
  look: Look;
  /** The form's action; null when no password would help. */
  action: string | null;
  /** The value of the hidden user name that password managers store with the password. */
  shareId: string;
  /** The problem of the last attempt; null at the first visit. */
  problem: string | null;
  requestId: string;
}

/** Returns the page as HTML. */
export function passwordPage({ look, action, shareId, problem, requestId }: PasswordFacts): string {
  const messages = MESSAGES[look.language];
  const title = action === null ? "edgetape" : messages.enter;
  return documentOf(
    <Layout look={look} title={title}>
      <section class="password card">
        <h1>{title}</h1>
        {problem === null ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {action === null ? null : (
          <form method="post" action={action}>
            <input type="text" name="username" value={shareId} autocomplete="username" hidden readonly />
            <label for="password">{messages.password}</label>
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="current-password"
              required
              autofocus
            />
            <button type="submit" class="primary">
              {messages.open}
            </button>
            <p class="hint">{messages.passwordHint}</p>
          </form>
        )}
        <p class="request">
          {messages.requestId} <code>{requestId}</code>
        </p>
      </section>
    </Layout>,
  );
}
