import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureCall } from './shape/call.ts';
import { measureFigures } from './shape/figures.ts';
import { toReport } from './shape/report.ts';
import { readTree } from './shape/tree.ts';

// `npm run shape`: figures that show where the tree drifts. It judges nothing: a figure is no limit.
// Usage: shape [root] [--json] [--names] [--comments] [--call]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    names: { type: 'boolean', default: false },
    comments: { type: 'boolean', default: false },
    call: { type: 'boolean', default: false },
  },
});
const root = resolve(positionals[0] ?? '.');
const figures = measureFigures(readTree(root));
const call = await measureCall(root);
console.log(values.json ? JSON.stringify({ ...figures, call }, null, 2) : toReport(figures, call, values));
