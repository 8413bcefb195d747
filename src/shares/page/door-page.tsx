/** The page of a closed door: the form for the password, or why there is none. */
import { documentOf, Layout } from "./layout.tsx";
import { type PageLanguage, WORDS } from "./words.ts";

export interface DoorFacts {
  language: PageLanguage;
  /** Where the form is sent; null when no password would help. */
  action: string | null;
  /** Fills the hidden user name that password managers keep beside the password. */
  shareId: string;
  /** What went wrong; null for somebody who has not tried yet. */
  problem: string | null;
  requestId: string;
}

/** The page as HTML. */
export function doorPage({ language, action, shareId, problem, requestId }: DoorFacts): string {
  const words = WORDS[language];
  const title = action === null ? "edgetape" : words.enter;
  return documentOf(
    <Layout language={language} title={title}>
      <section class="door card">
        <h1>{title}</h1>
        {problem === null ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {action === null ? null : (
          <form method="post" action={action}>
            <input type="text" name="username" value={shareId} autocomplete="username" hidden readonly />
            <label for="password">{words.password}</label>
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="current-password"
              required
              autofocus
            />
            <button type="submit" class="primary">
              {words.open}
            </button>
            <p class="hint">{words.passwordHint}</p>
          </form>
        )}
        <p class="request">
          {words.requestId} <code>{requestId}</code>
        </p>
      </section>
    </Layout>,
  );
}
