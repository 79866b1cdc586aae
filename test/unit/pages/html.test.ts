import { expect, it } from 'vitest';
import { html, trusted } from '../../../src/pages/html.ts';

it('escapes what would be markup, in elements and in quoted attributes', () => {
  expect(String(html`<a title="${`"'`}">${'<b>&amp;'}</a>`)).toBe(
    '<a title="&quot;&#39;">&lt;b&gt;&amp;amp;</a>',
  );
});

it('takes away what hides in text or makes it run backwards, in lists too', () => {
  const hidden = 'a\u202Eb\u2066c\u200Bd\u0000e\u2028f';
  expect(String(html`${hidden}${[hidden]}`)).toBe('a b c d e fa b c d e f');
  expect(String(html`<pre>${'{\n\t"a": 1\n}'}</pre>`)).toBe('<pre>{\n\t&quot;a&quot;: 1\n}</pre>');
});

it('puts in what is HTML already, joins lists, and prints nothing for nothing', () => {
  const rows = ['a', 'b'].map((name) => html`<li>${name}</li>`);
  expect(String(html`<ul>${rows}</ul>${null}${undefined}${trusted('<hr>')}${0}`)).toBe(
    '<ul><li>a</li><li>b</li></ul><hr>0',
  );
});
