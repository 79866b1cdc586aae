/** What the pages of the admin API look like, light and dark, narrow and wide. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --dim: #5c6675; --line: #d9dee6; --back: #f6f7f9; --card: #fff;
  --main: #2457d6; --bad: #c22f2f; --warn: #a86400; --good: #1a7f4b; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --dim: #98a3b3; --line: #303844; --back: #12161c;
  --card: #1a2029; --main: #7ba2ff; --bad: #ff8080; --warn: #f0b45a; --good: #5fd39a; --code: #232b36; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1rem; margin: 0 0 .6rem; }
header { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: baseline; margin-bottom: 1.2rem; }
header nav { margin-left: auto; display: flex; gap: 1rem; align-items: center; }
a { color: var(--main); } .dim { color: var(--dim); } .bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-bottom: 1rem; overflow-x: auto; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin-bottom: 1rem; }
.cards section { margin: 0; } .cards b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; line-height: 1.3; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--dim); } th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } td.number, th.number { text-align: right; }
button { font: inherit; color: var(--card); background: var(--main); border: 0; border-radius: .4rem; padding: .3rem .9rem; cursor: pointer; }
button:disabled { opacity: .5; cursor: default; }
code, pre { font: 13px/1.5 ui-monospace, monospace; background: var(--code); border-radius: .3rem; } code { padding: .1rem .3rem; }
pre { padding: .7rem; overflow-x: auto; margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
svg { width: 100%; height: 7rem; display: block; } .calls { fill: var(--main); } .errors { fill: var(--bad); }
input { font: inherit; width: 100%; padding: .2rem .4rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--back); color: var(--ink); }
.method { font: 600 12px ui-monospace, monospace; text-transform: uppercase; color: var(--card); background: var(--good); border-radius: .3rem; padding: .15rem .45rem; }
.method.post { background: var(--warn); } details { margin-top: .6rem; } summary { cursor: pointer; color: var(--dim); }
`;
