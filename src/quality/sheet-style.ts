/** The style of the quality sheet's page, which is a single file. */

const LIGHT = `--ground: #f5f6f4; --paper: #ffffff; --ink: #17201f; --quiet: #5d6b69; --line: #dfe5e3; --accent: #0b6b63;
  --good: #0b6b63; --good-soft: #e3f1ee; --bad: #a8321f; --bad-soft: #fbeae6; --open: #6d4b00; --open-soft: #faf0d8;`;

const DARK = `--ground: #0f1414; --paper: #161d1c; --ink: #e8eeec; --quiet: #9aaaa6; --line: #26302e; --accent: #3fae9f;
  --good: #5cc8b8; --good-soft: #14302c; --bad: #ff9a86; --bad-soft: #3a1d18; --open: #e0b672; --open-soft: #33281a;`;

export const SHEET_STYLE = `
:root { ${LIGHT} color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 ui-sans-serif, system-ui, -apple-system,
  "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif;
  font-variant-numeric: tabular-nums; }
header, main { max-width: 78rem; margin: 0 auto; padding: 0.6rem clamp(0.9rem, 3vw, 2rem); }
fieldset { display: flex; gap: 1rem; justify-content: flex-end; border: 0; margin: 0; padding: 0; font-size: 0.875rem; }
legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
body:has(#zh:checked) .en, body:has(#en:checked) .zh { display: none; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.4rem 0; }
h2 { font-size: 1.1rem; margin: 1.8rem 0 0.5rem; }
p { margin: 0.4rem 0; }
.note { max-width: 60rem; }
.verdict { padding: 0.1rem 0.5rem; border-radius: 0.35rem; white-space: nowrap; }
.passed { color: var(--good); background: var(--good-soft); }
.failed { color: var(--bad); background: var(--bad-soft); }
.not_provable { color: var(--open); background: var(--open-soft); }
.lead .verdict { margin-right: 0.5rem; font-size: 1.05rem; }
dl { display: flex; flex-wrap: wrap; gap: 0.6rem 2.75rem; margin: 1.1rem 0; }
dt, footer, .note { color: var(--quiet); font-size: 0.875rem; }
dd { margin: 0; font-size: 1.25rem; font-weight: 630; }
small { font-size: 0.875rem; font-weight: 400; color: var(--quiet); }
.scroll { overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: 0.5rem; }
.scroll:focus-visible, input:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; }
th, td { padding: 0.35rem 0.7rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-weight: 500; }
tbody th { font-weight: 500; }
.number { text-align: right; white-space: nowrap; }
.bad { color: var(--bad); font-weight: 630; }
code { font: 0.8125rem ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
footer { margin: 1.8rem 0; }
@media (max-width: 40rem) {
  th, td { padding: 0.35rem 0.5rem; }
  tbody th { min-width: 9rem; }
  td:last-child:not(.number) { min-width: 14rem; }
}
@media print {
  :root { ${LIGHT} color-scheme: light; }
  header { display: none; }
  body { background: none; font-size: 10pt; }
  .scroll { overflow: visible; border: 0; }
  .verdict { border: 1px solid currentColor; }
  tr { break-inside: avoid; }
  h1, h2 { break-after: avoid; }
}
`;
