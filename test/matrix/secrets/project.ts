import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { startVault, VAULT_TOKEN } from '../../unit/adapters/references/vault-double.ts';
import type { Files } from '../python-project.ts';

/** Texts that no output may have, by their origin. One needs percent-encoding in an address. */
export const PLANTED = {
  argument: 'planted-argument-7f3a',
  nested: 'planted-nested-90bc',
  answer: 'planted-answer-51de',
  bearer: 'planted-bearer-c0ffee4711',
  environment: 'planted+environment/22e8 "q"',
  vault: 'planted-vault-33aa',
  file: 'planted-file-44bb',
  vaultToken: VAULT_TOKEN,
  collector: 'planted-collector-66dd',
} as const;

/** The forms that a secret takes in texts: as it is, in JSON, in an address, in a query string. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(text).replaceAll('%20', '+'),
];

/** The origins of the secrets that a text has in any form. */
export function leaksIn(text: string): readonly string[] {
  return Object.entries(PLANTED).flatMap(([origin, secret]) =>
    FORMS.some((form) => text.includes(form(secret))) ? [origin] : [],
  );
}

const SITE = (readonly: boolean, isolation: string) => `svc: 1
project: secrets
profile: default
secrets: [api]
sql_tools: { enabled: true }
profiles:
  default:
    database: { path: data/secrets.duckdb, readonly: ${readonly}, isolation: ${isolation} }
    audit: { enabled: true, path: audit/records.jsonl, inputs: true, outputs: true }
`;

const USER = (vault: string, file: string | null) => `svc: 1
vault: { enabled: true, address: "${vault}", token_env: VAULT_ACCESS }
projects:
  secrets:
    profiles:
      default:
        telemetry:
          enabled: false
          headers: { x-api-key: "\${COLLECTOR_KEY}" }
        secrets:
          - name: api
            type: api
            parameters:
              environment: "\${API_KEY}"
              vault: "vault://secret/db#password"
              ${file === null ? '' : `file: "file://${file}"`}
`;

/** The variables that the references name. */
export const VARIABLES = {
  API_KEY: PLANTED.environment,
  VAULT_ACCESS: PLANTED.vaultToken,
  COLLECTOR_KEY: PLANTED.collector,
};

const PIN = '  parameters: [{ name: pin, type: string, sensitive: true }]\n';
const sql = (name: string, code: string, more = PIN) =>
  `tool:\n  name: ${name}\n${more}  source: { code: ${JSON.stringify(code)} }\n`;
const python = (name: string) => `tool:\n  name: ${name}\n  source: { file: ../python/told.py }\n${PIN}`;

const FILES: Files = {
  // DuckDB quotes the text that it cannot convert.
  'tools/cast.yml': sql('cast', 'SELECT $pin::INTEGER AS n'),
  // CEL quotes the key that a map does not have.
  'tools/condition.yml': sql(
    'condition',
    'SELECT $pin AS pin',
    `${PIN}  policies: { input: [{ condition: "{'a': 1}[pin] > 0", action: deny }] }\n`,
  ),
  'tools/digits.yml': sql(
    'digits',
    'SELECT $pin AS pin',
    "  parameters: [{ name: pin, type: string, sensitive: true, pattern: '^[0-9]+$' }]\n",
  ),
  'tools/nested.yml': sql(
    'nested',
    'SELECT ($data).pin::INTEGER AS n',
    '  parameters: [{ name: data, type: object, properties: { pin: { type: string, sensitive: true } } }]\n',
  ),
  'tools/returned.yml': sql(
    'returned',
    "SELECT 'kept' AS name, $pin AS pin",
    `${PIN}  return: { type: array, items: { type: object, properties: { name: { type: string }, pin: { type: string, sensitive: true } } } }\n`,
  ),
  'tools/asked.yml': sql(
    'asked',
    'SELECT $code::INTEGER AS n',
    '  ask: [{ name: form, message: Which code?, fields: [{ name: code, type: string, sensitive: true }] }]\n',
  ),
  'prompts/completed.yml': `prompt:
  name: completed
${PIN}  completion: { pin: SELECT $value::INTEGER AS n }
  messages: [{ prompt: "{{ pin }}" }]
`,
  'tools/raises.yml': python('raises'),
  'tools/queries.yml': python('queries'),
  'tools/queries_pin.yml': python('queries_pin'),
  'tools/tells.yml': python('tells'),
  'tools/refuses.yml': python('refuses'),
  'tools/handles.yml': python('handles'),
  'tools/gives.yml': python('gives'),
  // Without arguments, so that its calls can be repeated. Its results differ.
  'tools/counts.yml':
    'tool:\n  name: counts\n  annotations: { readOnlyHint: true }\n  source: { file: ../python/told.py }\n',
  'python/told.py': `import traceback
from urllib.parse import quote, quote_plus
from svc.runtime import UserError, audit, config, db, mcp

def texts(pin):
    found = config.get_secret("api")
    yield pin
    for secret in found.values():
        yield secret
        yield "https://user:" + quote(secret, safe="") + "@api.example/?key=" + quote_plus(secret)

def raises(pin):
    raise ValueError("raised " + " ".join(texts(pin)))

def queries(pin):
    return db.execute("SELECT $text::INTEGER AS n", {"text": "queried " + " ".join(texts("-"))})

def queries_pin(pin):
    return db.execute("SELECT $text::INTEGER AS n", {"text": pin})

def tells(pin):
    for text in texts(pin):
        print("printed", text)
        mcp.info("noticed " + text)
        mcp.progress(1, 2, "progressed " + text)
        with audit.event(target="at " + text, operation="told") as event:
            pass
    return "kept"

def refuses(pin):
    raise UserError("refused " + " ".join(texts("-")))

def handles(pin):
    try:
        raise KeyError("handled " + " ".join(texts(pin)))
    except KeyError:
        traceback.print_exc()
    return "kept"

counted = []

def counts():
    counted.append(1)
    return {"name": "kept", "count": len(counted), "given": list(texts("-"))}

def gives(pin):
    return {"name": "kept", "given": list(texts(pin))}
`,
  // An error that nothing catches, as a defect of ours would throw it.
  'crash.mjs':
    "process.once('SIGUSR2', () => { throw new Error('crashed on ' + process.env.API_KEY, { cause: 'https://u:' + process.env.API_KEY }) })\n",
  'key.txt': `${PLANTED.file}\n`,
};

/** A project folder, and the environment that its references need. */
export interface SecretProject {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Makes the project. `local` adds a secret in a file, which platforms without files cannot resolve. */
export async function createSecretProject(
  options: { readonly readonly?: boolean; readonly isolation?: string; readonly local?: boolean } = {},
): Promise<SecretProject> {
  const { readonly = true, isolation = 'auto', local = true } = options;
  const root = await mkdtemp(join(tmpdir(), 'svc-secrets-'));
  const vault = await startVault({ v2: { 'secret/db': { password: PLANTED.vault } } });
  // An artefact for Lambda takes no relative path.
  const user = USER(vault.url, local ? join(root, 'key.txt') : null);
  const files = { ...FILES, 'svc-site.yml': SITE(readonly, isolation), 'user.yml': user };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await mkdir(join(root, 'data'));
  await runScript(join(root, 'data/secrets.duckdb'), 'CREATE TABLE t AS SELECT 1 AS id; CHECKPOINT');
  return { root, env: VARIABLES };
}
