/** The style that all pages share, light and dark: colours, fonts, code. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b2330, #e6eaf1); --soft: light-dark(#5a6577, #9aa6b8);
  --line: light-dark(#dde2ea, #2c3543); --back: light-dark(#f7f8fa, #12161d); --card: light-dark(#fff, #1a2029);
  --code: light-dark(#f1f4f8, #10141a); --accent: light-dark(#1f5fd0, #82b1ff);
  --warn: light-dark(#8a5300, #f0b95b); --good: light-dark(#1d6b3f, #7fd6a4); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { line-height: 1.2; overflow-wrap: anywhere; }
a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .75rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--code); border-radius: .45rem; }
pre code { font: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** The style of buttons. */
export const BUTTON = `
button { font: inherit; color: var(--card); background: var(--accent); border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer; }
`;
