import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkTablesExist } from '../../../src/quality/table-rules.ts';
import { loadTree, type Served, SITE, serveTree } from '../call/project.ts';

const RULED = `${SITE}sql_tools:
  enabled: true
  tables:
    - { name: Staff, hide: [SALARY], mask: [ssn], rows: "id > 1 && name != user.name" }
    - { name: staff, hide: [salry] }
    - { name: staff, mask: [id, snn], rows: "nam == 'x'" }
    - { name: stuff }
    - { name: other.more, hide: [x] }
`;
const SEED = `CREATE TABLE staff (id INTEGER, name VARCHAR, salary INTEGER, ssn VARCHAR);
  CREATE SCHEMA other; CREATE VIEW other.more AS SELECT 1 AS x`;

let served: Served;
beforeAll(async () => {
  served = await serveTree({}, SEED, 'native');
});
afterAll(() => served.close());

it('rules of tables are compared with the database', async () => {
  const { site, sitePositions = {} } = await loadTree({ 'svc-site.yml': RULED });
  const findings = await checkTablesExist(
    site?.sqlTools.tables ?? [],
    sitePositions,
    await served.runtime.database(),
  );
  expect(findings.map(({ code, line, message, fix }) => `${code} ${line} ${message} ${fix}`)).toEqual([
    'table-rule 8 staff has no column salry, so every call that reads the table fails. Did you mean salary?',
    'table-rule 9 staff has no column nam, so every call that reads the table fails. Did you mean name?',
    'table-rule 9 staff has no column snn, so every call that reads the table fails. Did you mean ssn?',
    'table-rule 10 The database has no table or view stuff, so the rule shows nothing. Did you mean staff?',
  ]);
});
