/** The style of the pages: the drive's colours, a menu beside the text, cards instead of tables on a phone. */

export const STYLE = `
:root {
  --ground: #f5f6f4; --paper: #ffffff; --ink: #17201f; --quiet: #55635f; --line: #dfe5e3;
  --accent: #0b6b63; --on-accent: #ffffff; --accent-soft: #e3f1ee; --code: #f0f3f2;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei",
    "Noto Sans CJK SC", "Noto Sans SC", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1414; --paper: #161d1c; --ink: #e8eeec; --quiet: #9aaaa6; --line: #26302e;
    --accent: #3fae9f; --on-accent: #06201d; --accent-soft: #14302c; --code: #101716;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1.5rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.65 var(--sans); font-variant-numeric: tabular-nums; }
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.tape {
  height: 14px; background-color: var(--accent);
  background-image: radial-gradient(circle, var(--ground) 2.6px, transparent 3px);
  background-size: 18px 14px; background-position: 9px 0;
}
.top, .columns { max-width: 74rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
.top { display: flex; align-items: baseline; gap: 1.5rem; padding-top: 1.25rem; }
.brand { font-weight: 650; letter-spacing: -0.01em; color: inherit; text-decoration: none; margin-right: auto; }
.top a:not(.brand) { font-size: 0.875rem; }
.columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 3.5rem; padding-top: 2.5rem; padding-bottom: 5rem; }
.menu ul { position: sticky; top: 1.5rem; margin: 0; padding: 0; list-style: none; }
.menu a { display: block; padding: 0.35rem 0.8rem; border-radius: 0.5rem; color: var(--quiet); text-decoration: none; font-size: 0.9375rem; }
.menu a:hover { color: var(--ink); background: var(--code); }
.menu a[aria-current] { color: var(--accent); background: var(--accent-soft); font-weight: 600; }
.menu details { display: none; }
main { max-width: 46rem; }
h1 { margin: 0; font-size: clamp(1.75rem, 1.2rem + 2.4vw, 2.5rem); line-height: 1.2; letter-spacing: -0.025em; font-weight: 680; }
.lead { margin: 0.6rem 0 2rem; color: var(--quiet); font-size: 1.125rem; line-height: 1.55; }
h2 { margin: 2.75rem 0 0.6rem; font-size: 1.3125rem; line-height: 1.35; letter-spacing: -0.012em; }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover { color: var(--accent); }
p { margin: 0.9rem 0; }
ul { margin: 0.9rem 0; padding-left: 1.25rem; }
li { margin: 0.4rem 0; }
li::marker { color: var(--accent); }
code, pre { font-family: var(--mono); font-size: 0.8125rem; }
code { background: var(--code); border: 1px solid var(--line); border-radius: 0.3rem; padding: 0.05em 0.3em; overflow-wrap: anywhere; }
.note { margin: 2rem 0; padding: 0.85rem 1.1rem; border-radius: 0.5rem; background: var(--accent-soft); font-size: 0.9375rem; }
.code { margin: 1.1rem 0; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--paper); overflow: hidden; }
.code figcaption { display: flex; justify-content: space-between; align-items: center; min-height: 2.4rem; padding: 0.25rem 0.6rem 0.25rem 1rem; border-bottom: 1px solid var(--line); color: var(--quiet); font-size: 0.8125rem; }
.code pre { margin: 0; padding: 0.9rem 1rem 1rem; overflow-x: auto; line-height: 1.6; tab-size: 2; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.1rem 0.6rem; cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
button.done { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.scroll { margin: 1.1rem 0; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; line-height: 1.5; }
th { white-space: nowrap; padding: 0 1rem 0.4rem 0; text-align: left; font-weight: 500; color: var(--quiet); font-size: 0.8125rem; border-bottom: 1px solid var(--line); }
td { padding: 0.6rem 1rem 0.6rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
td:first-child code { white-space: nowrap; }
.next { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.next a { text-decoration: none; }
.next a:hover { text-decoration: underline; }
.lost { max-width: 74rem; margin: 0 auto; padding: clamp(2.5rem, 8vw, 5rem) clamp(1rem, 4vw, 2.5rem); }
.lost li span, .foot { color: var(--quiet); }
.foot { margin-top: 2.5rem; font-size: 0.8125rem; }

@media (max-width: 52rem) {
  .columns { display: block; padding-top: 1.25rem; }
  .menu { margin-bottom: 1.75rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--paper); }
  .menu summary { display: block; padding: 0.65rem 1rem; cursor: pointer; font-weight: 600; }
  .menu details { display: block; }
  .menu > ul { display: none; }
  .menu ul { position: static; padding: 0 0.35rem 0.5rem; }
  .menu summary::after { content: "▾"; float: right; color: var(--quiet); }
  .menu li { margin: 0; }
  .menu a { padding: 0.55rem 0.8rem; }
  table, tbody, tr, td { display: block; width: auto; }
  thead { display: none; }
  tr { padding: 0.8rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0.15rem 0; border: 0; }
  td:not(:first-child, :last-child) { display: inline-block; margin-right: 1rem; }
  td:first-child { font-weight: 600; }
  .code pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  td[data-head]::before { content: attr(data-head) " "; color: var(--quiet); font-size: 0.8125rem; margin-right: 0.35rem; }
}
`;
