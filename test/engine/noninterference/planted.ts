import { registerHooks } from 'node:module';
import { FAULTS } from './faults.ts';

/*
 * A program that searches for a leak in a product with a planted fault: `planted.ts <fault> <most cases> <seed>`. It changes the
 * sources while they are loaded, and prints what the search found as JSON.
 */

const [name = '', cases = '20000', seed = '1'] = process.argv.slice(2);
const edits = FAULTS[name] ?? [];
const unused = new Set(edits);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const own = edits.filter(({ file }) => url.endsWith(`/${file}`));
    if (own.length === 0) return loaded;
    const { source } = loaded;
    const written = typeof source === 'string' ? source : new TextDecoder().decode(source);
    const changed = own.reduce((text, one) => {
      if (text.includes(one.from)) unused.delete(one);
      return text.replace(one.from, () => one.to);
    }, written);
    return { ...loaded, source: changed };
  },
});

const { searchLeak } = await import('./search.ts');
const { openDatabase } = await import('./world.ts');

const databases = [await openDatabase(), await openDatabase()] as const;
const options = { databases, cases: Number(cases), seed: Number(seed), shrinks: false };
const { figures, leak } = await searchLeak(options);
// An edit whose place is gone plants nothing.
const missing = [...unused].map(({ file, from }) => `${file}: ${from}`);
console.log(JSON.stringify({ figures, leak, missing }));
await Promise.all(databases.map((database) => database.close()));
