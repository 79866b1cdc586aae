/** The whole style of the page: nothing is loaded from anywhere. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b2330; --soft: #5a6577; --line: #dde2ea; --page: #f7f8fa; --card: #fff;
  --code: #f1f4f8; --accent: #1f5fd0; --open: #8a5300; --closed: #1d6b3f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf1; --soft: #9aa6b8; --line: #2c3543; --page: #12161d;
  --card: #1a2029; --code: #10141a; --accent: #82b1ff; --open: #f0b95b; --closed: #7fd6a4; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: clamp(1.25rem, 5vw, 4rem) clamp(1rem, 4vw, 2.5rem) 3rem; }
h1 { margin: 0 0 .25rem; font-size: clamp(1.9rem, 5vw, 2.8rem); line-height: 1.15; overflow-wrap: anywhere; }
h2 { margin: 2.75rem 0 1rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.05rem; }
p { margin: 0; }
a { color: var(--accent); }
.lead { color: var(--soft); font-size: 1.1rem; }
.address { margin: 1.5rem 0 .6rem; }
.access { font-weight: 600; }
.access.open { color: var(--open); }
.access.closed { color: var(--closed); }
.clients { columns: 2 25rem; column-gap: 1rem; }
article { break-inside: avoid; margin: 0 0 1rem; padding: 1.1rem 1.25rem 1.25rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .7rem; }
article header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; flex-wrap: wrap; }
.where, .note, footer { color: var(--soft); font-size: .9rem; }
pre { margin: 0; padding: .75rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--code); border: 1px solid var(--line);
  border-radius: .45rem; font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
article p, article pre { margin-top: .5rem; }
pre code { font: inherit; user-select: all; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); }
`;
