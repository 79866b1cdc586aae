import { readFileSync } from 'node:fs';
import { build, transform } from 'esbuild';

/** The path of the generated file in the repository. */
export const VIEW_PAGE_FILE = 'src/mcp/views/page.ts';

/** Bundles `views/` to the text that servers carry. A module of text works in every artefact. */
export async function toPageModule(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['views/main.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('esbuild wrote no page');
  const html = readFileSync('views/page.html', 'utf8');
  const style = await transform(readFileSync('views/chart.css', 'utf8'), { loader: 'css', minify: true });
  const styled = html.replace('/*__CHART_STYLE__*/', () => style.code.trim());
  const page = styled.replace('__SCRIPT__', () => script.text.trim().replaceAll('</script', '<\\/script'));
  return `// Written by \`node scripts/views/write.ts\` from views/; do not edit.
// biome-ignore-all format: it is generated
// biome-ignore-all lint: it is generated

/** The page of every view, with \`__CONFIG__\` in place of the facts about its tool. */
export const VIEW_PAGE: string = ${JSON.stringify(page)};
`;
}
