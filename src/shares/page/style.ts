/** The pages' style: one accent on quiet ground, figures in columns, light and dark by the reader's system. */

/** Colours and typefaces, which the console shares. */
export const LIGHT = `--ground: #f5f6f4; --paper: #ffffff; --ink: #17201f; --quiet: #5d6b69; --faint: #6b7876;
  --line: #dfe5e3; --accent: #0b6b63; --on-accent: #ffffff; --accent-soft: #e3f1ee;
  --warn: #a14510; --warn-soft: #fdf0e6; --code: #f0f3f2; --hatch: #e4e9e7;`;
export const DARK = `--ground: #0f1414; --paper: #161d1c; --ink: #e8eeec; --quiet: #9aaaa6; --faint: #81908c;
  --line: #26302e; --accent: #3fae9f; --on-accent: #06201d; --accent-soft: #14302c;
  --warn: #f0a060; --warn-soft: #33231a; --code: #101716; --hatch: #222b29;`;
export const TYPE = `--sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei",
    "Noto Sans CJK SC", "Noto Sans SC", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;`;

export const STYLE = `
:root {
  ${LIGHT}
  ${TYPE}
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
  ${DARK}
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 var(--sans); font-variant-numeric: tabular-nums;
}
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.tape {
  height: 14px; background-color: var(--accent);
  background-image: radial-gradient(circle, var(--ground) 2.6px, transparent 3px);
  background-size: 18px 14px; background-position: 9px 0;
}
.top, main { max-width: 70rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
.top { display: flex; align-items: center; justify-content: space-between; padding-top: 1.25rem; }
.brand { font-weight: 650; letter-spacing: -0.01em; }
button {
  font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 0.5rem;
  padding: 0.3rem 0.75rem; cursor: pointer;
}
button:hover { border-color: var(--accent); color: var(--accent); }
.language button { font-size: 0.875rem; }
main { padding-top: 2.5rem; padding-bottom: 4rem; }
h1 { margin: 0; font-size: clamp(1.75rem, 1.2rem + 2.6vw, 2.75rem); line-height: 1.15; letter-spacing: -0.025em; font-weight: 680; }
h1.path { font-family: var(--mono); font-size: 1.5rem; letter-spacing: -0.02em; word-break: break-all; }
h2 { margin: 3rem 0 0.5rem; font-size: 1.25rem; letter-spacing: -0.012em; }
h3 { margin: 1.5rem 0 0.25rem; font-size: 1rem; }
p { margin: 0.5rem 0; }
small { font-size: 0.8125rem; color: var(--quiet); font-weight: 400; letter-spacing: 0; }
code, pre { font-family: var(--mono); font-size: 0.8125rem; }
code { background: var(--code); border-radius: 0.3rem; padding: 0.1em 0.35em; overflow-wrap: anywhere; }
.lead { margin-top: 0.6rem; color: var(--quiet); font-size: 1.0625rem; }
.note, .missing-line, .up { color: var(--quiet); }
.quiet { color: var(--quiet); font-size: 0.875rem; font-weight: 400; }
.up { margin: 0 0 1rem; font-size: 0.9375rem; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 0.875rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.875rem; }

.stats { display: grid; grid-template-columns: repeat(4, auto); justify-content: space-between; gap: 1.25rem 2rem; margin: 2rem 0 0; }
.stats dt { color: var(--quiet); font-size: 0.875rem; }
.stats dd { white-space: nowrap; margin: 0.1rem 0 0; font-size: 1.5rem; font-weight: 620; letter-spacing: -0.02em; line-height: 1.25; }

.legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; margin: 0.75rem 0 1rem; padding: 0; list-style: none; color: var(--quiet); font-size: 0.875rem; }
.legend li { display: flex; align-items: center; gap: 0.5rem; }
.legend .day { width: 0.95rem; height: 0.95rem; border-radius: 0.25rem; }
.legend .closed::after { content: "–"; }
.year { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: 1.75rem 2.25rem; padding: clamp(1rem, 3vw, 1.75rem); }
.month h3 { margin: 0 0 0.4rem; font-size: 0.9375rem; }
.days { display: grid; grid-template-columns: repeat(7, 1fr); gap: 3px; }
.weekday { text-align: center; font-size: 0.6875rem; color: var(--faint); line-height: 1.6; }
.day {
  display: grid; place-items: center; aspect-ratio: 1; border-radius: 0.375rem; border: 1px solid transparent;
  font-size: 0.75rem; line-height: 1; color: var(--quiet); text-decoration: none;
}
.starts-2 { grid-column-start: 2; } .starts-3 { grid-column-start: 3; } .starts-4 { grid-column-start: 4; }
.starts-5 { grid-column-start: 5; } .starts-6 { grid-column-start: 6; } .starts-7 { grid-column-start: 7; }
.day.present { background: var(--accent); color: var(--on-accent); font-weight: 600; }
a.day.present:hover { box-shadow: 0 0 0 2px var(--paper), 0 0 0 4px var(--accent); }
.day.missing { border: 1.5px dashed var(--warn); background: var(--warn-soft); color: var(--warn); font-weight: 600; }
.day.closed { color: var(--faint); }
.day.outside { background: repeating-linear-gradient(-45deg, var(--hatch) 0 2px, transparent 2px 5px); color: var(--faint); }
.day.upcoming, .day.unknown { border-color: var(--line); }

.tools { margin-top: 0.75rem; overflow: hidden; }
.tools > input { position: absolute; opacity: 0; pointer-events: none; }
.tabs { display: flex; overflow-x: auto; border-bottom: 1px solid var(--line); }
.tabs label { padding: 0.7rem 1.1rem; cursor: pointer; color: var(--quiet); border-bottom: 2px solid transparent; white-space: nowrap; }
.tabs label:hover { color: var(--ink); }
.panel { display: none; position: relative; }
.panel.shown { display: block; overflow: hidden; }
.panel pre { margin: 0; padding: 1.1rem 6.5rem 1.25rem 1.25rem; overflow-x: auto; line-height: 1.65; tab-size: 2; }
.copy { position: absolute; top: 0.7rem; right: 0.7rem; background: var(--paper); font-size: 0.8125rem; }
.copy.done { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
${["wget", "aria2c", "rclone", "duckdb", "pandas"]
  .map(
    (tool) => `#tool-${tool}:checked ~ .panel-${tool} { display: block; }
#tool-${tool}:checked ~ .tabs label[for="tool-${tool}"] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
#tool-${tool}:focus-visible ~ .tabs label[for="tool-${tool}"] { outline: 2px solid var(--accent); outline-offset: -3px; border-radius: 0.5rem; }`,
  )
  .join("\n")}

.month-files { margin-top: 0.6rem; overflow: hidden; }
.month-files summary { display: flex; justify-content: space-between; gap: 1rem; padding: 0.8rem 1.25rem; cursor: pointer; font-weight: 600; list-style: none; }
.month-files summary::-webkit-details-marker { display: none; }
.month-files summary span:first-child::before { content: "›"; display: inline-block; width: 1rem; color: var(--quiet); transition: transform 0.12s; }
.month-files[open] summary span:first-child::before { transform: rotate(90deg) translate(0, 0.15rem); }
.listing { margin: 1rem 0; }
.files { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
.files th { text-align: left; font-weight: 500; color: var(--quiet); font-size: 0.8125rem; }
.files th, .files td { padding: 0.6rem 1.25rem; vertical-align: top; }
.files tr + tr td, .files thead + tbody tr:first-child td, .month-files .files tr:first-child td { border-top: 1px solid var(--line); }
.files .number { text-align: right; white-space: nowrap; }
.files .number { width: 7.5rem; }
.files .when { width: 16rem; white-space: nowrap; color: var(--quiet); }
.files td:first-child { max-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.sum { display: block; overflow: hidden; text-overflow: ellipsis; padding: 0.1rem 0 0; background: none; color: var(--quiet); font-size: 0.6875rem; }
tr:hover .sum { color: var(--ink); }

.door { max-width: 26rem; margin: 8vh auto 0; padding: 2rem; }
.door h1 { font-size: 1.5rem; }
.door label { display: block; margin: 1.5rem 0 0.35rem; font-size: 0.9375rem; }
.door input[type="password"] { width: 100%; padding: 0.6rem 0.75rem; border: 1px solid var(--faint); border-radius: 0.5rem; background: var(--ground); color: inherit; font: 1rem var(--mono); }
.primary { width: 100%; margin-top: 0.9rem; padding: 0.6rem; background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.primary:hover { color: var(--on-accent); filter: brightness(1.08); }
.problem { margin-top: 1rem; padding: 0.6rem 0.85rem; border-radius: 0.5rem; background: var(--warn-soft); color: var(--warn); }
.hint { color: var(--quiet); font-size: 0.875rem; }
.request { margin: 1.5rem 0 0; color: var(--quiet); font-size: 0.75rem; }
.request code { padding: 0; background: none; font-size: 0.75rem; }

@media (max-width: 46rem) {
  main { padding-top: 1.75rem; }
  .stats { grid-template-columns: repeat(3, auto); }
  .year { grid-template-columns: 1fr 1fr; gap: 1.25rem 1rem; padding: 0.9rem; }
  .days { gap: 2px; }
  .day { font-size: 0.625rem; border-radius: 0.25rem; }
  .files, .files tbody { display: block; }
  .files thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .files tr { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.1rem 1rem; padding: 0.7rem 0.9rem; }
  .files tbody tr { border-top: 1px solid var(--line); }
  .files td, .files tr + tr td, .files thead + tbody tr:first-child td, .month-files .files tr:first-child td { padding: 0; border: 0; }
  .files td:first-child { flex: 1 0 100%; max-width: 100%; white-space: normal; overflow-wrap: anywhere; }
  .files .number, .files .when { width: auto; white-space: normal; color: var(--quiet); font-size: 0.8125rem; }
  .stats dd { font-size: 1.3125rem; }
  .stats div:last-child { grid-column: 1 / -1; }
  .tabs label { flex: 1; padding: 0.7rem 0.3rem; text-align: center; font-size: 0.875rem; }
  .panel pre { padding: 1rem 0.9rem 0.6rem; }
  .copy { position: static; display: block; width: calc(100% - 1.8rem); margin: 0.3rem 0.9rem 0.9rem; padding: 0.5rem; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;
