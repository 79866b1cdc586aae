import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Each file that sends requests to other servers, with its purpose. Pages in browsers and our own children are left out. */
const SENDERS = {
  'src/auth/create.ts': 'the identity provider',
  'adapters/artefact/fetch-document.ts': 'documents of OAuth clients',
  'adapters/aws-lambda/dynamodb.ts': 'the token store',
  'adapters/models/vendor-package.ts': 'the models of `svc evals`',
  'adapters/node/http/fetch-document.ts': 'documents of OAuth clients',
  'adapters/node/remote-database.ts': 'a database in an object store',
  'adapters/references/http.ts': 'secret managers',
  'adapters/replay/client.ts': '`svc replay`',
  'adapters/admin-socket/client.ts': 'the admin socket of this machine',
  'adapters/admin-socket/listen.ts': 'the admin socket of this machine',
  'cli/call/session.ts': '`svc call`',
  'cli/doctor/check.ts': '`svc doctor`',
  'cli/doctor/local/machine.ts': '`svc doctor`',
  'cli/doctor/remote.ts': '`svc doctor`',
  'cli/doctor/sign-in/provider.ts': '`svc doctor`',
};

/** The global `fetch`, called or handed on; `fetch(request)` is a handler of ours. */
const FETCH = /(?<![.#\w'"`])fetch\((?!request\b|url: string)|\?\? fetch\b|\{ fetch, now/;
const NODE = /import \{[^}]*\b(?:request|connect|get)\b[^}]*\} from 'node:(?:https?|http2|net|tls)'/;

// Requirements: event.push
it('leave from these files only, each for its purpose', () => {
  const files = ['src', 'adapters', 'cli'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const senders = files.filter((file) => {
    if (!file.endsWith('.ts') || file.startsWith('src/pages/')) return false;
    const text = readFileSync(file, 'utf8');
    const [declared] = /\bfetch\(request: Request/.exec(text) ?? [];
    return (declared === undefined && FETCH.test(text)) || NODE.test(text);
  });
  expect(senders.toSorted()).toEqual(Object.keys(SENDERS).toSorted());
});
