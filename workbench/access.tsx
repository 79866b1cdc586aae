import type { MatrixRow, WorkbenchState } from '../cli/workbench/model.ts';
import { toHash } from './address.ts';
import { Scroll } from './scroll.tsx';

type Access = MatrixRow['access'][string];

/** Which users may call which endpoints, and which fields they see: `svc policy matrix`. */
export function AccessView({ state: { matrix, users } }: { readonly state: WorkbenchState }) {
  return (
    <section>
      <h2>Who sees what</h2>
      <p class="dim">From the policies alone, without a call. “depends”: on arguments, data or time.</p>
      <Scroll label="Policy matrix">
        <table class="matrix">
          <thead>
            <tr>
              <th>Endpoint</th>
              {users.map(({ name, context }) => (
                <th key={name} title={context === null ? 'no user' : JSON.stringify(context)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.map((row) => (
              <tr key={row.endpoint}>
                <th scope="row">
                  <a href={toHash(row.endpoint)}>{row.endpoint}</a>
                  {row.scopes.length > 0 ? <span class="dim"> {row.scopes.join(' ')}</span> : null}
                </th>
                {users.map(({ name }) => (
                  <td key={name}>
                    <AccessCell access={row.access[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

const STYLES = { allow: 'good', deny: 'bad', depends: 'warn' } as const;

/** The rights of one user on one endpoint, with the fields that are hidden. */
export function AccessCell({ access }: { readonly access: Access | undefined }) {
  if (access === undefined) return null;
  const hidden = access.fields.filter((field) => field.access !== 'shown');
  const on = access.depends_on.length > 0 ? ` on ${access.depends_on.join(', ')}` : '';
  return (
    <>
      <span class={STYLES[access.call]}>
        {access.call}
        {on}
      </span>
      {access.reason === null ? null : <span class="dim"> {access.reason}</span>}
      {hidden.map(({ field, access: how }) => (
        <div key={field}>
          <code>{field || 'the result'}</code> {how}
        </div>
      ))}
    </>
  );
}
