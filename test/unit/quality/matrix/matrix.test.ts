import { describe, expect, it } from 'vitest';
import { declaredContexts, policyMatrix, toMatrixUsers } from '../../../../src/quality/matrix/matrix.ts';
import { load, type Tree } from '../../project/memory.ts';

async function endpointsOf(files: Tree) {
  const project = await load(files);
  expect(project.findings).toEqual([]);
  return project.endpoints.flatMap(({ endpoint }) => endpoint ?? []);
}

/** A tool with a condition, and tests of two users who differ in their id. */
const tool = (condition: string) => `svc: 1
tool:
  name: one
  policies: { input: [{ condition: ${JSON.stringify(condition)}, action: deny }] }
  source: { code: SELECT 1 }
  tests:
    - { name: a, user_context: { id: a1, role: boss } }
    - { name: b, user_context: { id: b1, role: boss } }
    - { name: c, user_context: { role: boss, email: c@x.org } }
`;

describe('the users that a project speaks of', () => {
  it.each([
    ['user.id'],
    ['user . id'],
    ["user['user_id']"],
    ['[user][0].id'],
    ["[user].exists(who, who.id == 'a1') ? 'a1' : ''"],
    ['user.claims.id'],
  ])('keep their ids where a condition reads %s', async (read) => {
    const endpoints = await endpointsOf({ 'tools/one.yml': tool(`${read} == 'a1'`) });
    const users = toMatrixUsers(declaredContexts(endpoints), 'user_context');
    expect(users.map(({ name, user }) => [name, user?.id])).toEqual([
      ['anonymous', undefined],
      ['boss', 'a1'],
      ['boss#2', 'b1'],
      ['boss#3', 'user'],
    ]);
  });

  it('are one where they differ in an id that nothing reads', async () => {
    const endpoints = await endpointsOf({ 'tools/one.yml': tool("user.role == 'claims'") });
    const users = toMatrixUsers(declaredContexts(endpoints), 'user_context');
    expect(users.map(({ name }) => name)).toEqual(['anonymous', 'boss', 'boss#2', 'claims']);
  });
});

describe('rows that depend on who calls', () => {
  const python = (source: string) => ({
    'tools/one.yml': 'svc: 1\ntool: { name: one, source: { file: one.py } }\n',
    'tools/one.py': source,
  });

  it.each([
    [true, 'from svc.runtime import db, user\ndef one():\n  return user.email\n'],
    [true, 'import svc.runtime as r\ndef one():\n  return 1 if r.user else 2\n'],
    [true, "from svc.runtime import db\ndef one():\n  return db.execute('SELECT get_username()')\n"],
    [false, 'from svc.runtime import db\ndef one():\n  return db.execute("SELECT 1")\n'],
    [false, 'def one(user=1):\n  return user\n'],
  ])('are told of Python: %s', async (expected, source) => {
    const [row] = policyMatrix(await endpointsOf(python(source)), []);
    expect(row?.rows_depend_on_caller).toBe(expected);
  });
});
