import { type App, createApp } from '../../../src/app.ts';
import { LOCAL_ACCESS } from '../../../src/http/access.ts';
import { ALICE, type Served, SITE, serveTree, type Tree } from '../call/project.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What the database of the shop holds as a BLOB, in base64. */
export const LOGO = PNG;

const SEED = `
CREATE TABLE customers AS SELECT * FROM (VALUES (1, 'Ada', 'DE', 'a@acme.com'), (2, 'Bo/b & Söns', 'FR', 'b@acme.com')) t(id, name, country, email);
CREATE TABLE files AS SELECT 'logo' AS name, from_base64('${PNG}') AS bytes;
CREATE TABLE many AS SELECT i AS id FROM range(30) t(i);`;

const PROJECT: Tree = {
  'svc-site.yml': SITE,
  'tools/logo.yml': `tool:
  name: logo
  mime_type: image/png
  source: { code: SELECT bytes FROM files WHERE name = 'logo' }
`,
  'tools/beep.yml': `tool:
  name: beep
  mime_type: audio/wav
  return: { type: string }
  source: { code: SELECT bytes FROM files }
`,
  'tools/no_picture.yml': `tool:
  name: no_picture
  mime_type: image/png
  source: { code: SELECT 'text' AS bytes }
`,
  'tools/typed.yml': `tool:
  name: typed
  parameters:
    - { name: id, type: integer, description: The id., minimum: 1 }
    - { name: kind, type: string, enum: [a, b], default: a }
    - { name: day, type: string, format: date, default: '2024-01-31' }
  return:
    type: object
    properties: { id: { type: integer }, kind: { type: string, enum: [a, b] }, day: { type: string, format: date } }
  source: { code: "SELECT $id AS id, $kind AS kind, $day::DATE AS day" }
`,
  'resources/terms.yml': `resource:
  uri: shop://terms
  name: terms
  title: Terms of trade
  description: What everybody agrees to.
  mime_type: text/markdown
  source: { code: "SELECT '# Terms' AS text" }
`,
  'resources/customers.yml': `resource:
  uri: shop://customers
  name: customers
  description: Everybody.
  source: { code: "SELECT id, name FROM customers ORDER BY id" }
`,
  'resources/customer.yml': `resource:
  uri: shop://customers/{id}
  name: customer
  description: One customer.
  parameters: [{ name: id, type: integer, minimum: 1, description: The id. }]
  return:
    type: object
    properties: { id: { type: integer }, name: { type: string }, email: { type: string, sensitive: true } }
  policies:
    input: [{ condition: id == 99, action: deny, reason: Not that one. }]
    output: [{ condition: "user.role == 'anonymous'", action: filter_sensitive_fields }]
  source: { code: "SELECT id, name, email FROM customers WHERE id = $id" }
`,
  'resources/by_name.yml': `resource:
  uri: shop://by-name/{name}
  name: by_name
  description: By name.
  parameters: [{ name: name, type: string, enum: [Ada, Bo/b & Söns, Nobody] }]
  mime_type: text/plain
  source: { code: SELECT country FROM customers WHERE name = $name }
`,
  'resources/logo.yml': `resource:
  uri: shop://logo.png
  name: logo_file
  description: The logo.
  mime_type: image/png
  source: { code: SELECT bytes FROM files }
`,
  'resources/many.yml': `resource:
  uri: shop://many
  name: many
  description: Too many.
  limits: { rows: 5 }
  source: { code: SELECT id FROM many ORDER BY id }
`,
  'resources/hidden.yml': `resource:
  uri: shop://hidden
  enabled: false
  source: { code: SELECT 1 }
`,
  'prompts/review.yml': `prompt:
  name: review
  title: Review a customer
  description: Looks at one customer.
  parameters:
    - { name: id, type: integer, description: The id. }
    - { name: tone, type: string, enum: [warm, cool, curt], default: warm }
    - { name: deep, type: boolean, default: false }
  messages:
    - { role: system, prompt: "You are {{ tone }}." }
    - { role: user, prompt: "Review {{ id + 1 }}{% if deep %} deeply{% endif %}." }
    - { role: user, type: resource, prompt: "shop://customers/{{ id }}" }
    - { role: assistant, type: resource, prompt: "https://example.com/{{ id }}" }
`,
  'prompts/picture.yml': `prompt:
  name: picture
  description: Shows the logo.
  messages: [{ type: resource, prompt: "shop://logo.png" }]
`,
  'prompts/guarded.yml': `prompt:
  name: guarded
  description: Not for all.
  parameters: [{ name: secret, type: string, sensitive: true }]
  policies:
    input: [{ condition: "secret == 'no'", action: deny, reason: Not with that. }]
    output:
      - { condition: "response.exists(m, m.prompt.contains('forbidden'))", action: deny }
      - { condition: "user.role == 'anonymous'", action: mask_fields, fields: [prompt] }
  messages: [{ prompt: "It is {{ secret }}." }]
`,
};

/** A shop with an endpoint of each kind, over a real database. */
export interface Shop extends Served {
  /** For nobody in particular. */
  readonly app: App;
  /** For somebody who is known. */
  readonly known: App;
  readonly paged: App;
}

export async function openShop(): Promise<Shop> {
  const served = await serveTree(PROJECT, SEED);
  const options = {
    runtime: () => served.runtime,
    version: '1.2.3',
    stateless: true,
    log: served.runtime.log,
    access: LOCAL_ACCESS,
  };
  return {
    ...served,
    app: createApp(options),
    known: createApp({ ...options, authenticate: async () => ({ user: ALICE }) }),
    paged: createApp({ ...options, pageSize: 2 }),
  };
}
