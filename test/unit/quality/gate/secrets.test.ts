import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../../../src/quality/gate/secrets.ts';

const AWS = `AKIA${'IOSFODNN7ABCDEFG'}`;
const GITHUB = `ghp_${'abcdefghijklmnopqrst12345'}`;

const seen = (text: string) =>
  findSecrets('tools/a.yml', text).map(({ line, column, message }) => {
    const [, what] = /looks like (.*), and/.exec(message) ?? [];
    return `${line}:${column} ${what}`;
  });

describe('secrets in a file', () => {
  it.each([
    [`SELECT '${AWS}'`, ['1:9 an AWS access key']],
    [`# ${GITHUB}`, ['1:3 a GitHub token']],
    ['x: 1\nurl: postgres://ada:hunter22@db/shop', ['2:6 an address with a password']],
    ["CREATE SECRET s (TYPE s3, SECRET 'wJalrXUtnFEMI7K7MDENG');", ['1:27 the value of SECRET']],
    ["password = 'hunter2hunter2'", ['1:1 the value of password']],
    ['  api_key: "abc123def456"', ['1:3 the value of api_key']],
    ['tool:\n  - client_secret: abc123def456', ['2:5 the value of client_secret']],
    ['# crm\nDB_PASSWORD=hunter2hunter2', ['2:1 the value of DB_PASSWORD']],
    ['export API_TOKEN=abc123def456', ['1:8 the value of API_TOKEN']],
    ['headers: "Bearer abcdefghij0123456789"', ["1:11 a header's credential"]],
    ['-----BEGIN RSA PRIVATE KEY-----', ['1:1 a private key']],
  ])('are found with their place: %s', (text, expected) => {
    expect(seen(text)).toEqual(expected);
  });

  it.each([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as people write it
    'password: ${DB_PASSWORD_2024}',
    'token: vault://secret/crm1#token',
    'api_key: your-api-key-1',
    'description: Basic information about customers and their tokens.',
    'API_TOKEN=$CRM_TOKEN_2024',
    'call(\n  API_TOKEN=read_token(user_1),\n  TOKEN=os.environ["TOKEN_1"])',
    "WHERE token_type = 'refresh_token'",
    'max_tokens: 100000000',
    "SELECT $password = 'x'",
    'see https://example.com/a:b@c',
    '- { name: token, type: string, description: A token of the user. }',
  ])('are not where nothing is secret: %s', (text) => {
    expect(seen(text)).toEqual([]);
  });

  it.each([
    ['one long word', (size: number) => `BLOB = ${'Ab3'.repeat(size / 3)}`],
    ['one long word that is quoted', (size: number) => `BLOB = '${'Ab3'.repeat(size / 3)}'`],
    ['words with dots', (size: number) => 'a.'.repeat(size / 2)],
    ['blanks', (size: number) => `a${' '.repeat(size)}`],
    ['what begins like a token', (size: number) => 'eyJ-'.repeat(size / 4)],
    ['secret after secret', (size: number) => "password = 'abcd1234x'\n".repeat(size / 20)],
  ])('are looked for in time that grows with the file: %s', (_, make) => {
    // With the square of the size this would take minutes.
    expect(findSecrets('a.py', make(300_000)).length).toBeLessThanOrEqual(15_000);
  });

  it('are no names of Python', () => {
    expect(findSecrets('a.py', 'API_TOKEN=config.oauth2_token\n')).toEqual([]);
    expect(findSecrets('a.py', 'API_TOKEN="abc123def456"\n')).toHaveLength(1);
  });

  it('are never told', () => {
    const [finding] = findSecrets('a.sql', `SELECT '${GITHUB}'`);
    expect(JSON.stringify(finding)).not.toContain(GITHUB.slice(4));
    expect(finding).toMatchObject({ severity: 'error', code: 'literal-secret', file: 'a.sql' });
  });
});
