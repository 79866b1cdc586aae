import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';

/** The command of a bundle, as a client starts it. */
export interface BundleCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Unpacks the bundle of an artefact, and fills the variables of its command with the user's values. */
export async function unpackBundle(
  artefact: string,
  into: string,
  user: Readonly<Record<string, string>>,
): Promise<BundleCommand> {
  const name = (await readdir(artefact)).find((file) => file.endsWith('.mcpb')) ?? '';
  for (const [path, bytes] of Object.entries(unzipSync(await readFile(join(artefact, name))))) {
    await mkdir(dirname(join(into, path)), { recursive: true });
    await writeFile(join(into, path), bytes);
  }
  const variables: Record<string, string> = { __dirname: into, HOME: join(into, 'home') };
  for (const [key, value] of Object.entries(user)) variables[`user_config.${key}`] = value;
  const fill = (text: string) => text.replaceAll(/\$\{([^}]+)\}/g, (all, key) => variables[key] ?? all);
  const { server } = JSON.parse(await readFile(join(into, 'manifest.json'), 'utf8'));
  const {
    command,
    args,
    env = {},
  }: BundleCommand & { readonly env?: BundleCommand['env'] } = server.mcp_config;
  return {
    command: fill(command),
    args: args.map(fill),
    env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value)])),
  };
}
