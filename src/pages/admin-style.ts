import { BUTTON } from './style.ts';

/** The style of the admin pages, for narrow and wide screens. */
export const STYLE = `${BUTTON}
:root { --bad: light-dark(#c22f2f, #ff8080); }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; font-size: 15px; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1rem; margin: 0 0 .6rem; }
header { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: baseline; margin-bottom: 1.2rem; }
header nav { margin-left: auto; display: flex; gap: 1rem; align-items: center; }
.dim { color: var(--soft); } .bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-bottom: 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } td.number, th.number { text-align: right; }
button { padding: .3rem .9rem; }
button:disabled { opacity: .5; cursor: default; }
code { padding: .1rem .3rem; background: var(--code); border-radius: .3rem; }
pre { margin: .5rem 0; }
input { font: inherit; width: 100%; padding: .2rem .4rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--back); color: var(--ink); }
.method { font: 600 12px ui-monospace, monospace; text-transform: uppercase; color: var(--card); background: var(--good); border-radius: .3rem; padding: .15rem .45rem; }
.method.post { background: var(--warn); } details { margin-top: .6rem; } summary { cursor: pointer; color: var(--soft); }
`;
