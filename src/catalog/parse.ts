import * as v from 'valibot';
import { SvcError } from '../errors.ts';
import { tryJson } from '../json.ts';
import { CONFIRM_OTHERWISE, QUESTION_KINDS } from '../project/elicitation-model.ts';
import { FILE_FORMATS, TEXT_FORMATS, VIEW_KINDS } from '../project/model.ts';
import { freeze, hashCatalog } from './hash.ts';
import type { Catalog } from './model.ts';

const NAMES = v.array(v.string());
const OBJECT = v.record(v.string(), v.unknown());
const SHARED = {
  name: v.string(),
  parameters: v.array(v.looseObject({ name: v.string(), type: v.string() })),
  policies: v.object({ input: v.array(OBJECT), output: v.array(OBJECT) }),
  scopes: v.exactOptional(NAMES),
  limits: v.object({
    rows: v.number(),
    bytes: v.number(),
    timeoutMs: v.number(),
    scanRows: v.exactOptional(v.number()),
    scanBytes: v.exactOptional(v.number()),
  }),
  confirm: v.exactOptional(v.object({ question: v.string(), otherwise: v.picklist(CONFIRM_OTHERWISE) })),
  ask: v.exactOptional(
    v.array(v.array(v.looseObject({ name: v.string(), kind: v.picklist(QUESTION_KINDS) }))),
  ),
  wire: OBJECT,
};
const PYTHON = v.object({
  language: v.literal('python'),
  file: v.string(),
  function: v.string(),
  mode: v.picklist(['read', 'write']),
  hash: v.string(),
});
const SQL = v.object({
  language: v.literal('sql'),
  sql: v.string(),
  order: NAMES,
  mode: v.picklist(['read', 'write']),
  operation: v.string(),
  hash: v.string(),
  statement: v.exactOptional(v.string()),
});
const TEXT = v.object({
  language: v.literal('text'),
  text: v.string(),
  mode: v.literal('read'),
  hash: v.string(),
});
const SOURCE = v.variant('language', [SQL, PYTHON, TEXT]);
const CACHE = v.exactOptional(v.object({ ttlMs: v.number() }));
const COMPLETION = v.exactOptional(v.record(v.string(), v.object({ sql: v.string(), order: NAMES })));
const RETURNS = v.nullable(v.looseObject({ type: v.string() }));
const TEMPLATE = v.object({ literals: NAMES, variables: NAMES });

const CATALOG = v.object({
  project: v.string(),
  hash: v.string(),
  tools: v.record(
    v.string(),
    v.object({
      kind: v.literal('tool'),
      ...SHARED,
      returns: RETURNS,
      cache: CACHE,
      source: SOURCE,
      mimeType: v.exactOptional(v.string()),
      content: v.exactOptional(v.literal('rows')),
      format: v.exactOptional(v.picklist(TEXT_FORMATS)),
      view: v.exactOptional(v.picklist(VIEW_KINDS)),
      largeResult: v.exactOptional(
        v.object({ rows: v.number(), format: v.picklist(FILE_FORMATS), minutes: v.number() }),
      ),
    }),
  ),
  resources: v.record(
    v.string(),
    v.object({
      kind: v.literal('resource'),
      ...SHARED,
      completion: COMPLETION,
      uri: v.string(),
      template: TEMPLATE,
      skill: v.exactOptional(OBJECT),
      mimeType: v.string(),
      returns: RETURNS,
      cache: CACHE,
      source: SOURCE,
    }),
  ),
  prompts: v.record(
    v.string(),
    v.object({
      kind: v.literal('prompt'),
      ...SHARED,
      completion: COMPLETION,
      messages: v.array(v.object({ role: v.string(), type: v.string(), prompt: v.string() })),
    }),
  ),
  search: v.exactOptional(v.literal(true)),
});

/** Parses the JSON of a catalog. Throws config_invalid for another shape and for content that differs from its hash. */
export async function parseCatalog(json: string): Promise<Catalog> {
  const found = tryJson(json);
  if (!isCatalog(found)) throw damaged('does not have the form that this version of svc writes');
  if ((await hashCatalog(found)) !== found.hash) throw damaged('was changed after it was written');
  return freeze(found);
}

function isCatalog(found: unknown): found is Catalog {
  return v.is(CATALOG, found);
}

function damaged(why: string): SvcError {
  return new SvcError('config_invalid', `The catalog ${why}. Build the project again with \`svc build\`.`);
}
