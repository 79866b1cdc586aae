import { useId } from 'preact/hooks';
import type { JsonObject, JsonValue, WorkbenchUser } from '../cli/workbench/model.ts';
import { JsonControl } from './form.tsx';
import { isObject } from './schema.ts';

/** The user of a call: null for an anonymous one, a known user by name, or pasted claims. */
export type Actor = null | { readonly name: string } | { readonly claims: JsonObject };

const ANONYMOUS = 'anonymous';
const CLAIMS = 'claims …';
const NOBODY = 'nobody';

/** A call's user in the server's form, and in words. */
export function toUser(actor: Actor): { readonly label: string; readonly user: string | JsonObject | null } {
  if (actor === null) return { label: ANONYMOUS, user: null };
  if ('name' in actor) return { label: actor.name, user: actor.name === ANONYMOUS ? null : actor.name };
  return { label: 'claims', user: actor.claims };
}

/** The claims of a call's user, as a test has them. */
export function contextOf(actor: Actor, users: readonly WorkbenchUser[]): JsonObject | null {
  if (actor === null) return null;
  if ('claims' in actor) return actor.claims;
  return users.find(({ name }) => name === actor.name)?.context ?? null;
}

interface ActorFieldProps {
  readonly label: string;
  readonly optional?: boolean;
  readonly users: readonly WorkbenchUser[];
  readonly value: Actor;
  readonly onChange: (actor: Actor) => void;
}

/** Chooses a user, or takes claims as JSON. */
export function ActorField({ label, optional = false, users, value, onChange }: ActorFieldProps) {
  const id = useId();
  const chosen = value === null ? (optional ? NOBODY : ANONYMOUS) : 'name' in value ? value.name : CLAIMS;
  const choose = (name: string) => {
    if (name === CLAIMS) return onChange({ claims: { email: 'ada@example.com' } });
    onChange(name === NOBODY ? null : { name });
  };
  const change = (next: JsonValue | undefined) => onChange({ claims: isObject(next) ? next : {} });
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {[...(optional ? [NOBODY] : []), ...users.map(({ name }) => name), CLAIMS].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {value !== null && 'claims' in value ? (
        <>
          <label for={`${id}-claims`}>Claims as JSON</label>
          <JsonControl id={`${id}-claims`} value={value.claims} onChange={change} />
        </>
      ) : null}
    </div>
  );
}
