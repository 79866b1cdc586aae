import { describe, expect, it } from 'vitest';
import { matchUri } from '../../../src/catalog/find.ts';
import { parseUriTemplate } from '../../../src/project/uri.ts';
import { cpuMs } from '../cpu.ts';
import { createRandom } from '../project/mutate.ts';

function match(text: string, uri: string, optional: readonly string[] = []) {
  const parsed = parseUriTemplate(text);
  const parameters = optional.map((name) => ({ name, type: 'string', default: '' }) as const);
  return 'template' in parsed ? matchUri(parsed.template, uri, parameters) : parsed.problem;
}

describe('matching a URI', () => {
  // Requirements: endpoint.uri
  it.each([
    ['a://b', 'a://b', {}],
    ['a://b', 'a://b/', null],
    ['a://{x}', 'a://1', { x: '1' }],
    ['a://{x}', 'a://', null],
    ['a://{x}', 'a://1/2', null],
    ['a://{x}', 'a://1?b', null],
    ['a://{x}/c/{y}', 'a://1/c/2', { x: '1', y: '2' }],
    ['a://{x}/c/{y}', 'a://c/c/c', { x: 'c', y: 'c' }],
    ['a://{x}.{y}', 'a://1.2.3', { x: '1', y: '2.3' }],
    ['a://{x}/end', 'a://1/end', { x: '1' }],
    ['a://{x}/end', 'a://1/ends', null],
    ['a://{x}-{y}z', 'a://1-2zz', { x: '1', y: '2z' }],
    ['a://{x}', 'a://J%C3%BCrgen%20%2F%7B', { x: 'Jürgen /{' }],
    ['a://{x}', 'a://%E0%A4%A', null],
    ['a://{x}', 'a://{x}', { x: '{x}' }],
    ['a://{x}', 'A://1', null],
    ['a://{constructor}', 'a://1', { constructor: '1' }],
  ])('%s takes %s', (text, uri, values) => {
    expect(match(text, uri)).toEqual(values);
  });

  it.each([
    ['a://{x}', 'a://', {}],
    ['a://{x}', 'a://1', { x: '1' }],
    ['a://{x}/', 'a:///', {}],
    ['a://{x}/c/{y}', 'a:///c/2', { y: '2' }],
    ['a://{x}/c/{y}', 'a://1/c/', null],
    ['a://{x}/c/{y}', 'a:///c/', null],
    ['a://{x}-{y}', 'a://-2', { y: '2' }],
    ['a://{x}', 'a:/', null],
    ['a://{x}/end', 'a://end', null],
    ['a://{y}/{x}', 'a://1/', { y: '1' }],
    ['a://{y}/{x}', 'a:///1', null],
  ])('%s takes %s if x may be missing', (text, uri, values) => {
    expect(match(text, uri, ['x'])).toEqual(values);
  });

  // Requirements: mcp.resource.template
  it('gives back what was put in', () => {
    const random = createRandom(7);
    const pieces = ['/', '-', '.', 'aa', '/end/', ':', '%20'];
    const contents = ['x', 'Ü', 'a/b', '100%', 'q?r#s', ' ', '{y}', '\u{1f600}'];
    for (let turn = 0; turn < 500; turn += 1) {
      const names = Array.from({ length: 1 + random(4) }, (_, index) => `v${index}`);
      const literals = names.map(() => pieces[random(pieces.length)] ?? '');
      const values = Object.fromEntries(
        names.map((name) => [
          name,
          Array.from({ length: 1 + random(3) }, () => contents[random(contents.length)]).join(''),
        ]),
      );
      // A slash is never part of a value, so what lies between slashes can be told apart.
      const text = `a://${names.map((name, index) => `{${name}}/${literals[index]}`).join('/')}`;
      const uri = text.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
      expect(match(text, uri), `${text} ${uri}`).toEqual(values);
    }
  });

  it('never throws and never takes long, whatever comes', () => {
    const random = createRandom(11);
    const noise = () => Array.from({ length: random(30) }, () => String.fromCharCode(random(160))).join('');
    for (let turn = 0; turn < 2_000; turn += 1) match(`a:${noise()}{x}${noise()}`, `a:${noise()}`);
    const many = Array.from({ length: 200 }, (_, index) => `{v${index}}`).join('-');
    const started = cpuMs();
    expect(match(`a:${many}/x`, `a:${'-'.repeat(100_000)}`)).toBeNull();
    expect(cpuMs() - started).toBeLessThan(20_000);
  });
});
