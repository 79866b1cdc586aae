import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../../deploy/bundled-user-file.ts';
import type { TargetName } from '../../../deploy/targets/targets.ts';

const user = (token: string) => `svc: 1
models:
  default: m
  models: { m: { type: claude, api_key: "file://key" } }
projects:
  shop:
    profiles:
      default:
        secrets: [{ name: crm, type: custom, parameters: { token: "${token}" } }]
      other:
        secrets: [{ name: crm, type: custom, parameters: { token: "file://token" } }]
`;

async function read(target: TargetName, token: string): Promise<string | null> {
  const root = await mkdtemp(join(tmpdir(), 'svc-config-'));
  await writeFile(join(root, 'config.yml'), user(token));
  return readConfig('config.yml', root, { project: 'shop', profile: 'default', target });
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: references as people write them
test.each<[TargetName, string, string]>([
  ['cloudflare-workers', 'file:///run/token', 'Cloudflare Workers has no files'],
  ['cloudflare-workers', 'file://${HOME}/token', 'Cloudflare Workers has no files'],
  ['aws-lambda', 'file://token', 'AWS Lambda has files with an absolute path only'],
])('an artefact for %s that refers to %s is refused: it could never start', async (target, token, reason) => {
  const place =
    'config.yml:9:68: `projects.shop.profiles.default.secrets[0].parameters.token` refers to a file';
  await expect(read(target, token)).rejects.toMatchObject({
    code: 'project_invalid',
    message: `${place}, but ${reason}. Put the value into a variable: \`\${NAME}\`.`,
  });
});

test.each<[TargetName, string]>([
  ['cloudflare-workers', '${TOKEN}'],
  ['cloudflare-workers', 'vault://secret/crm#token'],
  ['aws-lambda', 'file:///opt/token'],
  ['aws-lambda', 'file://${HOME}/token'],
  ['node', 'file://token'],
])('an artefact for %s may refer to %s, and other profiles to anything', async (target, token) => {
  expect(await read(target, token)).toContain(token);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: references as people write them
