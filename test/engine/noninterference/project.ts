import type { Tree } from '../../unit/call/project.ts';
import type { Endpoint } from './endpoints.ts';
import type { Table } from './tables.ts';

/** A project in the making. */
export interface Sketch {
  readonly tables: readonly Table[];
  readonly endpoints: readonly Endpoint[];
  readonly search: boolean;
}

/** The words of an endpoint that only those who may list it read. */
export interface Words {
  readonly [index: number]: string;
}

/** The name of an endpoint, or the URI of a resource. */
export function nameOf({ kind }: Endpoint, index: number): string {
  return kind === 'resource' ? `ledger://${index}/{id}` : `e${index}`;
}

/** Writes the files of a project. JSON is YAML. */
export function toFiles({ tables, endpoints, search }: Sketch, words: Words = {}): Tree {
  const files = endpoints.map((endpoint, index): [string, string] => [
    `${endpoint.kind}s/e${index}.yml`,
    JSON.stringify({ [endpoint.kind]: toEndpoint(endpoint, index, words[index] ?? 'Reads a ledger') }),
  ]);
  return { 'svc-site.yml': JSON.stringify(toSite(tables, search)), ...Object.fromEntries(files) };
}

function toSite(tables: readonly Table[], search: boolean) {
  const rules = tables.flatMap((table, index) =>
    table.rules.map(({ to, rows, hide, mask }) => ({
      name: `t${index}`,
      ...(to === null ? {} : { to: to.cel }),
      ...(rows === null ? {} : { rows: rows.cel }),
      ...(hide.length === 0 ? {} : { hide }),
      ...(mask.length === 0 ? {} : { mask }),
    })),
  );
  return {
    svc: 1,
    project: 'two_worlds',
    profile: 'default',
    ...(search ? { tool_search: true } : {}),
    sql_tools: { enabled: true, tables: rules },
  };
}

function toEndpoint(endpoint: Endpoint, index: number, description: string) {
  const { kind, scopes, tags, input, output, limits } = endpoint;
  const rules = {
    input: input.map(({ when, args, reason }) => ({
      condition: args === null ? when.cel : `(${when.cel}) && (${args})`,
      action: 'deny',
      ...(reason === null ? {} : { reason }),
    })),
    ...(kind === 'prompt' ? {} : { output: output.map(toOutputRule) }),
  };
  const common = { title: description, description, scopes, tags, policies: rules };
  const id = { name: 'id', type: 'integer', minimum: 0, default: 1 };
  const region = { name: 'region', type: 'string', default: null };
  if (kind === 'prompt') {
    return {
      name: nameOf(endpoint, index),
      ...common,
      parameters: [id, region],
      completion: { region: completionOf(endpoint, index, 'region') },
      messages: [
        { prompt: `${description}: {{ region }}` },
        { type: 'resource', prompt: 'ledger://0/{{ id }}' },
      ],
    };
  }
  const data = {
    ...common,
    ...(endpoint.returns ? { return: returnOf(endpoint) } : {}),
    ...(endpoint.ttl ? { cache: { ttl: '1h' } } : {}),
    limits,
    source: { code: sqlOf(endpoint, index) },
  };
  if (kind === 'resource') {
    const completion = { id: completionOf(endpoint, index, endpoint.suggests) };
    return {
      uri: nameOf(endpoint, index),
      mime_type: 'application/json',
      ...data,
      parameters: [id],
      completion,
    };
  }
  return { name: nameOf(endpoint, index), ...data, parameters: [id, region], ...formOf(endpoint) };
}

function toOutputRule({ when, data, action, fields }: Endpoint['output'][number]) {
  return {
    condition: data === null ? when.cel : `(${when.cel}) && (${data})`,
    action,
    ...(action === 'mask_fields' || action === 'filter_fields' ? { fields } : {}),
  };
}

function formOf({ form, shape }: Endpoint) {
  if (form === 'csv' || form === 'markdown') return { format: form };
  if (form === 'view') return { view: 'table' };
  if (!form.startsWith('large') || (shape !== 'rows' && shape !== 'repeated')) return {};
  return { large_result: { rows: 1, format: form.slice('large '.length) } };
}

function ownRows({ own }: Endpoint): string {
  return own ? 'owner = get_user_email()' : 'true';
}

function sqlOf(endpoint: Endpoint, index: number): string {
  const { kind, shape } = endpoint;
  const some = kind === 'tool' ? ' AND ($region IS NULL OR region = $region)' : '';
  const mine = ownRows(endpoint);
  if (shape === 'sum') {
    const all = `id >= $id AND ${mine}${some}`;
    return `SELECT count(*) AS n, sum(amount)::BIGINT AS total, max(note) AS note, min(ssn) AS SSN FROM l${index} WHERE ${all}`;
  }
  if (shape === 'failing') {
    const quoted = `SELECT concat('Rows: ', string_agg(concat_ws(' ', ssn, note, amount), ', ')) FROM l${index}`;
    const asked = kind === 'tool' ? ', $region AS place' : '';
    return `SELECT CAST((${quoted}) AS INTEGER) AS id, $id AS wanted${asked}`;
  }
  if (shape === 'repeated') {
    // DuckDB calls the second id `id_1`, and the note `id_1_1`.
    return `SELECT id, region, amount, amount, id, note AS id_1, ssn, address, items FROM l${index} WHERE id >= $id AND ${mine}${some} ORDER BY 1, region, rowid`;
  }
  const columns = 'id, region, amount, note, ssn, address, items';
  if (shape === 'one') {
    return `SELECT ${columns} FROM l${index} WHERE id = $id AND ${mine}${some} ORDER BY rowid LIMIT 1`;
  }
  return `SELECT ${columns} FROM l${index} WHERE id >= $id AND ${mine}${some} ORDER BY id, region, rowid`;
}

function completionOf(endpoint: Endpoint, index: number, column: string): string {
  const found = `${column}::VARCHAR`;
  return `SELECT DISTINCT ${found} AS ${column} FROM l${index} WHERE ${ownRows(endpoint)} AND starts_with(${found}, $value) ORDER BY ALL`;
}

const TEXT = { type: 'string', nullable: true };
const WHOLE = { type: 'integer', nullable: true };

function returnOf({ shape }: Endpoint) {
  if (shape === 'sum') {
    return {
      type: 'object',
      properties: { n: WHOLE, total: WHOLE, note: TEXT, SSN: { ...TEXT, sensitive: true } },
      required: ['n', 'total', 'SSN'],
    };
  }
  const street = { ...TEXT, sensitive: true };
  const cost = { ...WHOLE, sensitive: true };
  const row = {
    type: 'object',
    nullable: true,
    properties: {
      id: WHOLE,
      region: TEXT,
      amount: WHOLE,
      note: TEXT,
      ssn: { ...TEXT, sensitive: true },
      address: { type: 'object', nullable: true, properties: { street, city: TEXT } },
      items: { type: 'array', nullable: true, items: { type: 'object', properties: { sku: TEXT, cost } } },
    },
    required: ['id', 'ssn'],
  };
  return shape === 'one' ? row : { type: 'array', items: row };
}
