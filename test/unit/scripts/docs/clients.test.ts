import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLIENTS_PAGE, toClientsPage } from '../../../../scripts/docs/clients.ts';
import { readRecords } from '../../../vendors/records.ts';
import { exampleTools, generatedTools } from '../../../vendors/tools.ts';

describe('docs/reference/clients.md', () => {
  it('is the last stored run of all clients and converters', () => {
    expect(readFileSync(CLIENTS_PAGE, 'utf8')).toBe(toClientsPage());
  });

  it('has as many schemas as the examples and the generator have now', async () => {
    const [examples, generated] = [(await exampleTools()).length, generatedTools().length];
    for (const record of readRecords().converters) {
      expect(record.examples, record.name).toMatch(new RegExp(` of ${examples}$`));
      expect(record.generated, record.name).toMatch(new RegExp(` of ${generated}$`));
    }
  });
});
