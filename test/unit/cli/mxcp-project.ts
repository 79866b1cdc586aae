/** A project and a user file that use every key of the models of MXCP 0.12.3; made for this test. */
export const EVERY_KEY: Readonly<Record<string, string>> = {
  'mxcp-site.yml': `mxcp: 1
project: harbour
profile: dev
secrets: [weather]
plugin:
  - { name: tides, module: tides_plugin, config: main }
extensions:
  - json
  - { name: h3, repo: community }
  - { name: uc_catalog, repo: core_nightly }
dbt:
  enabled: true
  model_paths: [models]
  analysis_paths: [analyses]
  test_paths: [tests]
  seed_paths: [seeds]
  macro_paths: [macros]
  snapshot_paths: [snapshots]
  target_path: target
  clean_targets: [target]
sql_tools:
  enabled: true
  execute_sql_query: { description: Any SQL }
  list_tables: { description: Tables }
  get_table_schema: { description: Columns }
paths: { tools: tools, resources: resources, prompts: prompts, evals: evals, python: python, plugins: plugins, sql: sql, drift: drift, audit: audit, data: data }
profiles:
  dev:
    duckdb: { path: data/h.duckdb, readonly: true }
    drift: { path: drift/x.json }
    audit: { enabled: true, path: audit/x.jsonl, max_file_size: 1000000 }
`,
  'tools/a.yml': `mxcp: 1
metadata: { owner: me }
tool:
  name: a
  description: x
  tags: [x]
  annotations: { title: A, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  language: sql
  enabled: true
  parameters:
    - name: s
      type: string
      format: email
      description: x
      default: a@example.com
      examples: [a@example.com]
      enum: [a@example.com]
      sensitive: true
      minLength: 1
      maxLength: 50
      pattern: ".*"
    - { name: n, type: number, description: x, minimum: 0, maximum: 5, exclusiveMinimum: -1, exclusiveMaximum: 6, multipleOf: 1 }
    - { name: l, type: array, description: x, items: { type: string }, minItems: 0, maxItems: 3, uniqueItems: true }
    - { name: o, type: object, description: x, properties: { a: { type: string, format: timestamp }, b: {type: string, format: duration} }, required: [a], additionalProperties: true }
  return: { type: array, items: { type: object } }
  source: { code: "SELECT $s AS s, $n AS n, $l AS l, $o AS o", language: sql }
  tests:
    - name: t
      description: d
      arguments: [{ key: n, value: 1 }, { key: l, value: [] }, { key: o, value: { a: 1767225600 } }]
      user_context: { role: admin }
      result_contains: { n: 1 }
      result_not_contains: [z]
      result_contains_item: { n: 1 }
      result_contains_all: [{ n: 1 }]
      result_length: 1
      result_contains_text: a
  policies:
    input: [{ condition: "user.role == 'guest'", action: deny, reason: no }]
    output: [{ condition: "user.role != 'admin'", action: mask_fields, fields: [s] }]
`,
  'resources/r.yml': `mxcp: 1
resource:
  uri: "harbour://r/{id}"
  name: r
  description: x
  tags: [x]
  mime_type: application/json
  parameters: [{ name: id, type: integer, description: x }]
  return: { type: object }
  language: sql
  source: { code: "SELECT $id AS id" }
  enabled: true
`,
  'prompts/p.yml': `mxcp: 1
prompt:
  name: p
  description: x
  tags: [x]
  parameters: [{ name: id, type: string, description: x }]
  messages: [{ prompt: "Hi {{ id }}", role: user, type: text }]
`,
  'evals/e-evals.yml': `mxcp: 1
suite: e
description: x
model: claude-4-opus
tests:
  - name: t
    description: d
    prompt: Do
    user_context: { role: admin }
    assertions:
      must_call: [{ tool: a, args: { n: 1 } }]
      must_not_call: [a]
      answer_contains: [x]
      answer_not_contains: [y]
`,
  'user.yml': `mxcp: 1
vault: { enabled: true, address: "https://v.example.com", token_env: VT }
onepassword: { enabled: true, token_env: OT }
transport: { provider: sse, http: { port: 8000, host: localhost, scheme: https, base_url: "https://x.example.com", trust_proxy: true, stateless: false } }
models: { default: c, models: { c: { type: claude, api_key: k, base_url: "https://a.example.com", timeout: 3, max_retries: 1 } } }
logging: { enabled: true, path: x.log, level: INFO, max_bytes: 100000, backup_count: 2 }
projects:
  harbour:
    profiles:
      dev:
        secrets: [{ name: weather, type: http, parameters: { A: b } }]
        plugin: { config: { main: { a: b } } }
        telemetry: { enabled: true, endpoint: "http://o:4318", headers: { a: b }, service_name: s, service_version: v, environment: e, resource_attributes: { a: 1 }, tracing: { enabled: true, console_export: true }, metrics: { enabled: true, export_interval: 5 } }
        auth:
          mode: issuer
          provider: oidc
          clients: [{ client_id: c, name: n, client_secret: s, redirect_uris: ["https://x.example.com/cb"], grant_types: [authorization_code, refresh_token], scopes: ["mxcp:access"] }]
          authorization: { required_scopes: ["mxcp:access"] }
          persistence: { type: sqlite, path: ~/.mxcp/oauth.db, auth_encryption_key: a-key-of-thirty-two-characters-or-more }
          oidc: { config_url: "https://i.example.com/.well-known/openid-configuration", client_id: a, client_secret: b, scope: openid, callback_path: /cb, audience: x, extra_authorize_params: { a: b }, provider_name: n, claim_mappings: { role: { admin: ["role:admin"] } } }
          github: { client_id: a, client_secret: b, scope: user, callback_path: /gh, auth_url: "https://g.example.com/a", token_url: "https://g.example.com/t", claim_mappings: { role: { admin: ["role:admin"] } } }
          atlassian: { client_id: a, client_secret: b, scope: read, callback_path: /at, auth_url: "https://g.example.com/a", token_url: "https://g.example.com/t", claim_mappings: {} }
          salesforce: { client_id: a, client_secret: b, scope: api, callback_path: /sf, auth_url: "https://g.example.com/a", token_url: "https://g.example.com/t", claim_mappings: {} }
          keycloak: { client_id: a, client_secret: b, realm: r, server_url: "https://k.example.com", scope: openid, callback_path: /kc, claim_mappings: {} }
          google: { client_id: a, client_secret: b, scope: openid, callback_path: /go, auth_url: "https://g.example.com/a", token_url: "https://g.example.com/t", claim_mappings: {} }
`,
};
