/** The page before a share: the form for the password, or why there is none. */
import { documentOf } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import { Layout } from "./layout.tsx";
import { MESSAGES } from "./messages.ts";

export interface PasswordFacts {
  look: Look;
  /** Where the form is sent; null when no password would help. */
  action: string | null;
  /** Fills the hidden user name that password managers keep beside the password. */
  shareId: string;
  /** What went wrong; null for somebody who has not tried yet. */
  problem: string | null;
  requestId: string;
}

/** The page as HTML. */
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
