import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { target } from '../../../../../deploy/targets/aws-lambda/target.ts';

const SHIPPED = [
  'LICENSE.duckdb.txt',
  'THIRD-PARTY-LICENSES.txt',
  'data.duckdb',
  'duckdb.wasm',
  'index.mjs',
  'manifest.json',
  'sbom.cdx.json',
  'trampolines.wasm',
];

test('the deployment file asks for a streaming Function URL on the package that was built', () => {
  const { 'serverless.yml': text = '' } = target.files({
    callers: 'no sign-in, public on purpose',
    project: 'Sales',
    version: '1.0.0',
  });
  expect(parse(text)).toMatchObject({
    service: 'sales',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the Serverless Framework
    provider: { name: 'aws', runtime: 'nodejs24.x', architecture: "${param:architecture, 'arm64'}" },
    package: { artifact: 'function.zip' },
    functions: {
      mcp: {
        handler: 'index.handler',
        url: { invokeMode: 'RESPONSE_STREAM' },
        environment: { SVC_LAMBDA_RESPONSE: 'stream' },
      },
    },
  });
});

test.each([3, 34, 35, 36, 50])(
  'the role of a project of %i characters has a name that AWS takes',
  (length) => {
    const roleOf = (project: string) => {
      const { 'serverless.yml': text = '' } = target.files({ callers: '', project, version: '1.0.0' });
      const { service, provider } = parse(text);
      expect(service).toBe(project);
      return provider.iam?.role.name;
    };
    const name = roleOf('s'.repeat(length));
    // A short name is the framework's own: `<service>-<stage>-<region>-lambdaRole`.
    if (length <= 34) expect(name).toBeUndefined();
    else {
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of the Serverless Framework
      const deployed = name.replace('${sls:stage}', 'production').replace('${aws:region}', 'ap-southeast-1');
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of the Serverless Framework
      expect(deployed).toMatch(/^s{20}-[\da-f]{8}-production-ap-southeast-1$/);
      expect(deployed.length).toBeLessThanOrEqual(64);
      expect(roleOf(`${'s'.repeat(length - 1)}t`)).not.toBe(name);
    }
  },
);

test('the SAM template asks for the same function, on either processor', () => {
  const { 'template.yaml': text = '' } = target.files({
    callers: 'no sign-in, public on purpose',
    project: 'Sales: "north"',
    version: '1.0.0',
  });
  const [short, tags] = [
    (name: string) => ({ tag: `!${name}`, resolve: (value: string) => value }),
    ['Ref', 'GetAtt'],
  ];
  const template = parse(text, { customTags: tags.map(short) });
  expect(template).toMatchObject({
    Transform: 'AWS::Serverless-2016-10-31',
    Description: 'Sales: "north", an MCP server built by svc',
    Parameters: { Architecture: { Default: 'arm64', AllowedValues: ['arm64', 'x86_64'] } },
    Resources: {
      Mcp: {
        Type: 'AWS::Serverless::Function',
        Properties: {
          CodeUri: 'function.zip',
          Handler: 'index.handler',
          Architectures: ['Architecture'],
          FunctionUrlConfig: { AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' },
        },
      },
    },
  });
});

const WITH_NEEDS = {
  callers: 'sign-in with GitHub',
  project: 'Sales',
  version: '1.0.0',
  variables: ['ARCHITECTURE', 'AWS_ACCESS_KEY_ID', 'CRM_TOKEN', 'CRM__TOKEN', 'SVC_AUTH_KEYS'],
  tokenTable: { table: 'svc-sessions', region: null },
  remote: { store: 's3://sales-data/databases', key: 'sales/0123.duckdb', bytes: 1 },
} as const;

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of CloudFormation and of the Serverless Framework
const STATEMENTS = [
  {
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
    Resource: 'arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/svc-sessions',
  },
  {
    Effect: 'Allow',
    Action: ['s3:GetObject'],
    Resource: 'arn:${AWS::Partition}:s3:::sales-data/databases/sales/*',
  },
];

const TAGS = ['!Ref', '!GetAtt', '!Sub'].map((tag) => ({ tag, resolve: (value: string) => value }));

test('a deployment sets each variable that the user file needs, and gives the role its permissions', () => {
  const { 'serverless.yml': text = '', 'README.md': readme = '' } = target.files(WITH_NEEDS);
  const { provider, functions } = parse(text, { customTags: TAGS });
  expect(functions.mcp.environment).toEqual({
    SVC_LAMBDA_RESPONSE: 'stream',
    ARCHITECTURE: '${env:ARCHITECTURE}',
    CRM_TOKEN: '${env:CRM_TOKEN}',
    CRM__TOKEN: '${env:CRM__TOKEN}',
    SVC_AUTH_KEYS: '${env:SVC_AUTH_KEYS}',
  });
  expect(provider.iam).toEqual({ role: { statements: STATEMENTS } });
  expect(readme).toContain('`ARCHITECTURE`, `CRM_TOKEN`, `CRM__TOKEN`, `SVC_AUTH_KEYS`');
});

test('the SAM template asks for each variable without showing it, and gives the same permissions', () => {
  const { 'template.yaml': text = '' } = target.files(WITH_NEEDS);
  const { Parameters, Resources } = parse(text, { customTags: TAGS });
  const { SVC_LAMBDA_RESPONSE, ...variables } = Resources.Mcp.Properties.Environment.Variables;
  expect(SVC_LAMBDA_RESPONSE).toBe('stream');
  expect(Object.keys(variables)).toEqual(['ARCHITECTURE', 'CRM_TOKEN', 'CRM__TOKEN', 'SVC_AUTH_KEYS']);
  const names: string[] = Object.values(variables);
  expect(new Set(['Architecture', ...names]).size).toBe(5);
  for (const name of names) {
    expect(name).toMatch(/^[A-Za-z0-9]+$/);
    expect(Parameters[name]).toMatchObject({ Type: 'String', NoEcho: true });
  }
  expect(Resources.Mcp.Properties.Policies).toEqual([{ Version: '2012-10-17', Statement: STATEMENTS }]);
});

test('no parameter of the SAM template has the name of a resource that SAM makes for the function', () => {
  const variables = ['MCP', 'MCP_ROLE', 'MCP_URL', 'MCP_URL_PUBLIC_PERMISSIONS', 'VAR_MCP_URL'];
  const { 'template.yaml': text = '' } = target.files({ ...WITH_NEEDS, variables });
  const { Parameters } = parse(text, { customTags: TAGS });
  const names = Object.keys(Parameters).filter((name) => name !== 'Architecture');
  expect(names).toHaveLength(variables.length);
  expect(names.filter((name) => name.startsWith('Mcp'))).toEqual([]);
});

test('a table in another region, and a role with a long name, have their permissions too', () => {
  const tokenTable = { table: 'svc-sessions', region: 'eu-west-1' };
  const { 'serverless.yml': text = '' } = target.files({
    ...WITH_NEEDS,
    project: 's'.repeat(50),
    tokenTable,
  });
  const { role } = parse(text, { customTags: TAGS }).provider.iam;
  expect(role.name).toMatch(/^s{20}-/);
  expect(role.statements[0].Resource).toBe(
    'arn:${AWS::Partition}:dynamodb:eu-west-1:${AWS::AccountId}:table/svc-sessions',
  );
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of CloudFormation and of the Serverless Framework

test('a native package is deployed on its own processor', () => {
  const native = { arch: 'x86_64', folders: ['native'] } as const;
  const files = target.files({
    callers: 'no sign-in, public on purpose',
    project: 'Sales',
    version: '1.0.0',
    native,
  });
  expect(parse(files['serverless.yml'] ?? '')).toMatchObject({ provider: { architecture: 'x86_64' } });
  const template = parse(files['template.yaml'] ?? '', {
    customTags: [{ tag: '!GetAtt', resolve: (value: string) => value }],
  });
  expect(template.Parameters).toBeUndefined();
  expect(template.Resources.Mcp.Properties.Architectures).toEqual(['x86_64']);
  expect(files['README.md']).toContain('runs on x86_64 only');
});

test('a native package holds its driver, its extensions and its database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pack-'));
  const paths = ['database/my shop.db', 'extensions/v1/linux/httpfs.duckdb_extension', 'native/libduckdb.so'];
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path);
  }
  await target.finish(
    folder,
    [...paths, 'README.md'].map((path) => ({ path, bytes: path.length })),
  );
  expect(Object.keys(unzipSync(await readFile(join(folder, 'function.zip'))))).toEqual(paths);
});

test('the package holds what the function needs and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pack-'));
  for (const name of [...SHIPPED, 'serverless.yml']) await writeFile(join(folder, name), name);
  await target.finish(
    folder,
    [...SHIPPED, 'serverless.yml'].map((path) => ({ path, bytes: path.length })),
  );
  expect(Object.keys(unzipSync(await readFile(join(folder, 'function.zip'))))).toEqual(SHIPPED);
});

test('what does not fit into a function is refused with a way out', async () => {
  const large = target.finish('', [{ path: 'data.duckdb', bytes: 251 * 1_048_576 }]);
  await expect(large).rejects.toThrow(/251\.0 MiB.*data\.duckdb \(251\.0 MiB\).*--target node/);
});
