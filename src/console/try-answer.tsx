/** Where Try it shows its answers: the script fills it. */
import type { TryWords } from "./words-try.ts";

/** A tab of a tab list and its panel's name. */
export function Tab({ id, name, selected }: { id: string; name: string; selected: boolean }) {
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${id}`}
      aria-controls={id}
      aria-selected={selected ? "true" : "false"}
      tabindex={selected ? 0 : -1}
    >
      {name}
    </button>
  );
}

/**
 * The outcome, a file's progress, the way to further pages, the views. What grows stands last, so that nothing
 * below it moves.
 */
export function AnswerPlace({ words }: { words: TryWords }) {
  const views = Object.entries(words.views);
  return (
    <section class="answer" aria-labelledby="answer">
      <h2 id="answer">{words.answer}</h2>
      <p id="outcome" class="outcome" role="status">
        {words.noAnswer}
      </p>
      <div id="progress" class="progress" hidden>
        <progress id="bar" max={1} value={0} aria-label={words.reading} />
        <span id="bar-text" class="figure" />
      </div>
      <p id="file" hidden />
      <div id="paging" class="paging" hidden>
        <button type="button" id="next-page">
          {words.nextPage}
        </button>
        <button type="button" id="all-pages">
          {words.allPages}
        </button>
        <span id="pages" class="quiet" role="status" />
      </div>
      <div id="views" class="card" hidden>
        <div role="tablist" id="views-tabs" class="tabs" aria-labelledby="answer">
          {views.map(([view, name], place) => (
            <Tab id={`view-${view}`} name={name} selected={place === 0} />
          ))}
        </div>
        {views.map(([view], place) => (
          <div
            role="tabpanel"
            id={`view-${view}`}
            aria-labelledby={`tab-view-${view}`}
            hidden={place !== 0}
          />
        ))}
      </div>
    </section>
  );
}
