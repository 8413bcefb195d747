/** Pages of somebody who is not signed in: the button that spends a link, or how to get one. */
import { documentOf, Layout, Notice, type Reader } from "./layout.tsx";
import { type Problem, WORDS, type Words } from "./words.ts";

export interface DoorFacts {
  reader: Reader;
  /** Where the button sends the link; null without one. */
  action: string | null;
  /** Makes a second press of the same button known as one. */
  press: string;
  problem: Problem | null;
  requestId: string;
}

/** The page as HTML. Opening it spends nothing: link previews and scanners open links too. */
export function doorPage({ reader, action, press, problem, requestId }: DoorFacts): string {
  const words = WORDS[reader.language];
  return documentOf(
    <Layout reader={reader} title={words.doorTitle}>
      <section class="door card">
        <h1>{words.doorTitle}</h1>
        {problem === null ? null : <Notice kind="problem" text={words.problems[problem]} />}
        {action === null ? (
          <p class="quiet">{words.doorNote}</p>
        ) : (
          <form method="post" action={action}>
            <input type="hidden" name="press" value={press} />
            <p>{words.doorInvite}</p>
            <button type="submit" class="primary" autofocus>
              {words.doorButton}
            </button>
          </form>
        )}
        {problem === null ? null : <RequestId id={requestId} words={words} />}
      </section>
    </Layout>,
  );
}

/** A page of a signed-in reader that says only what went wrong. */
export function problemPage(reader: Reader, problem: Problem, requestId: string): string {
  const words = WORDS[reader.language];
  return documentOf(
    <Layout reader={reader} title={words.console}>
      <h1>{words.console}</h1>
      <Notice kind="problem" text={words.problems[problem]} />
      <RequestId id={requestId} words={words} />
    </Layout>,
  );
}

/** What support needs to find the request. */
function RequestId({ id, words }: { id: string; words: Words }) {
  return (
    <p class="request-id">
      {words.requestId} <code>{id}</code>
    </p>
  );
}
