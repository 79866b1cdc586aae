import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../../src/template/render.ts';

describe('a prompt', () => {
  it('renders every message with the values', () => {
    const messages = [
      { role: 'system', type: 'text', prompt: 'You know {{ topic }}.' },
      {
        role: 'user',
        type: 'text',
        prompt: 'Explain {{ topic|upper }}{% if detail %} in detail{% endif %}.',
      },
      { role: 'assistant', type: 'text', prompt: '{{ "{{ not again }}" }}' },
    ] as const;
    expect(renderPrompt(messages, { topic: 'tea', detail: true })).toEqual([
      { role: 'user', content: { type: 'text', text: 'You know tea.' } },
      { role: 'user', content: { type: 'text', text: 'Explain TEA in detail.' } },
      { role: 'assistant', content: { type: 'text', text: '{{ not again }}' } },
    ]);
  });

  it('links to the resource whose address the text renders to', () => {
    const messages = [
      { role: 'user', type: 'resource', prompt: '\n  orders://{{ id|urlencode }}\n' },
    ] as const;
    expect(renderPrompt(messages, { id: 'a/b' })).toEqual([
      { role: 'user', content: { type: 'resource_link', uri: 'orders://a%2Fb' } },
    ]);
  });

  // Requirements: mcp.prompt.arguments
  it('shows what a client sends and never runs it', () => {
    const messages = [{ role: 'user', type: 'text', prompt: 'Say {{ what }}' }] as const;
    const [message] = renderPrompt(messages, { what: '{{ range(99)|join }}{% for x in y %}' });
    expect(message?.content).toEqual({ type: 'text', text: 'Say {{ range(99)|join }}{% for x in y %}' });
  });
});
