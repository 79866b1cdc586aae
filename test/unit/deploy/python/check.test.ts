import { expect, test } from 'vitest';
import { checkPythonTarget } from '../../../../deploy/python/check.ts';

const project = (files: { readonly [path: string]: string }, others: readonly string[] = []) => ({
  endpoints: Object.keys(files).filter((path) => path.startsWith('tools/')),
  folder: 'python',
  sources: new Map(Object.entries(files)),
  others,
});

const shown = (files: { readonly [path: string]: string }, others: readonly string[] = []) =>
  checkPythonTarget(project(files, others), 'aws-lambda').map(
    ({ severity, file, line, message }) => `${severity} ${file}:${line} ${message}`,
  );

test('the standard library, the runtime and the project itself are there', () => {
  const files = {
    'tools/a.py':
      'import json, statistics\nfrom svc.runtime import db\nimport shared.rates\nfrom shared import more',
    'python/shared/__init__.py': 'from . import rates\nfrom .deep.er import x',
    'python/shared/rates.py': 'import decimal',
    'python/shared/more.py': '',
    'python/shared/deep/er.py': '',
    'python/unused.py': 'import numpy',
  };
  expect(shown(files)).toEqual([]);
});

test('packages with native code are errors with their place, through modules of the project too', () => {
  const files = {
    'tools/a.py': 'import shared\n\ndef a():\n    import pandas as pd',
    'python/shared.py': 'from numpy.linalg import norm',
  };
  expect(shown(files)).toEqual([
    'error python/shared.py:1 numpy has native code, which Python on aws-lambda cannot load.',
    'error tools/a.py:4 pandas has native code, which Python on aws-lambda cannot load.',
  ]);
});

test('a package that is not there says how it can come along', () => {
  const [finding] = checkPythonTarget(project({ 'tools/a.py': 'import requests' }), 'aws-lambda');
  expect(finding).toMatchObject({
    severity: 'error',
    code: 'target-unsupported',
    file: 'tools/a.py',
    line: 1,
  });
  expect(finding?.fix).toContain('pip install --target python requests');
});

test('what a file can do without is a warning', () => {
  const files = { 'tools/a.py': 'try:\n    import orjson as json\nexcept ImportError:\n    import json' };
  expect(shown(files)).toEqual([
    'warning tools/a.py:2 orjson has native code, which Python on aws-lambda cannot load.',
  ]);
});

test('threads, processes, sockets and missing modules are named where they are used', () => {
  const files = {
    'tools/a.py': [
      'import threading, subprocess, socket, curses',
      'lock = threading.Lock()',
      'def a():',
      '    threading.Thread(target=a).start()',
      '    subprocess.run(["ls"])',
      '    socket.create_connection(("db", 5432))',
      '    urllib.request.urlopen("https://example.com")',
    ].join('\n'),
  };
  expect(shown(files)).toEqual([
    'error tools/a.py:1 Python on aws-lambda has no module curses.',
    'warning tools/a.py:4 This starts threads, which Python on aws-lambda cannot: the call would fail.',
    'warning tools/a.py:5 This starts processes, which Python on aws-lambda cannot: the call would fail.',
    'warning tools/a.py:6 This goes to the network, which Python on aws-lambda cannot: the call would fail.',
    'warning tools/a.py:7 This goes to the network, which Python on aws-lambda cannot: the call would fail.',
  ]);
});

test('compiled files among copied packages are errors', () => {
  expect(shown({ 'tools/a.py': '' }, ['python/fast/core.cpython-311.so', 'python/data.csv'])).toEqual([
    'error python/fast/core.cpython-311.so:0 This is native code, which Python on aws-lambda cannot load.',
  ]);
});

test('on Node, where python3 comes first, all of it only warns', () => {
  const findings = checkPythonTarget(project({ 'tools/a.py': 'import numpy' }), 'node');
  expect(findings.map(({ severity }) => severity)).toEqual(['warning']);
});
