import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PYTHON } from './found.ts';

const FOLDER = fileURLToPath(new URL('../../../../adapters/python/host/svc', import.meta.url));

/** Everything public of a module: names, and of functions their parameters. */
const PUBLIC = `
import ast, json, sys

def signature(node):
    every = node.args
    return [a.arg for a in [*every.posonlyargs, *every.args, *every.kwonlyargs]]

def public(body):
    found = {}
    for node in body:
        name = getattr(node, "name", None) or getattr(getattr(node, "target", None), "id", None)
        if isinstance(node, ast.FunctionDef) and not name.startswith("_"):
            found[name] = signature(node)
        if isinstance(node, ast.ClassDef):
            found[name] = public(node.body)
    return found

print(json.dumps([public(ast.parse(open(path).read()).body) for path in sys.argv[1:]]))
`;

it.skipIf(PYTHON === null)('the types for editors are those of svc.runtime', () => {
  const files = ['runtime.py', 'runtime.pyi'].map((name) => `${FOLDER}/${name}`);
  const output = execFileSync(PYTHON ?? '', ['-I', '-B', '-c', PUBLIC, ...files], { encoding: 'utf8' });
  const [{ _Told: _, ...code }, { UserError, HostError, DatabaseError, OutsideCall, ...stubs }] =
    JSON.parse(output);
  expect(stubs).toEqual(code);
  expect([UserError, HostError, DatabaseError, OutsideCall]).toEqual([{}, {}, {}, {}]);
});

it.skipIf(PYTHON === null)('and every name that it exports has one', () => {
  const program = `import sys; sys.path.insert(0, sys.argv[1]); import svc.runtime as r, json
print(json.dumps([sorted(r.__all__), sorted(vars(type(r.user)).get("__annotations__", [])) or list(r._USER_FIELDS)]))`;
  const output = execFileSync(PYTHON ?? '', ['-I', '-B', '-c', program, `${FOLDER}/..`], {
    encoding: 'utf8',
  });
  const stub = readFileSync(`${FOLDER}/runtime.pyi`, 'utf8');
  const [names, fields] = JSON.parse(output);
  for (const name of names) expect(stub).toMatch(new RegExp(`^(?:class |def )?${name}[:(]`, 'm'));
  for (const field of fields) expect(stub).toContain(`    ${field}: `);
});
