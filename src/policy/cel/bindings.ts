import type { CelInput } from '@bufbuild/cel';
import type { User } from '../../context.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { PolicyScope } from '../compile.ts';
import { toPolicyUser } from '../user.ts';
import { toPolicyValue } from './values.ts';

/** Values by name. Each is converted when a condition first reads it. The object has no prototype. */
export type Bindings = { readonly [name: string]: CelInput };

type Binding = readonly [name: string, read: () => CelInput | undefined];

/** The names of input conditions: the arguments, then `user`, which no parameter can replace. */
export function toInputBindings(
  scope: PolicyScope,
  args: JsonObject,
  user: User | null,
  read = toPolicyUser,
): Bindings {
  const values = scope.parameters.map((node): Binding => {
    const value = Object.hasOwn(args, node.name) ? args[node.name] : undefined;
    return [node.name, () => (value === undefined ? undefined : toPolicyValue(value, node))];
  });
  return bind([...values, userBinding(read(user))]);
}

/** The names of output conditions: `response`, the unedited result, and `user`. */
export function toOutputBindings(
  scope: PolicyScope,
  value: JsonValue,
  user: User | null,
  read = toPolicyUser,
): Bindings {
  const response: Binding = ['response', () => toPolicyValue(value, scope.returns ?? undefined)];
  return bind([response, userBinding(read(user))]);
}

function userBinding(user: JsonObject): Binding {
  return ['user', () => toPolicyValue(user, undefined)];
}

function bind(entries: readonly Binding[]): Bindings {
  const bindings: { [name: string]: CelInput } = Object.create(null);
  for (const [name, read] of entries) {
    let known: { readonly value: CelInput | undefined } | null = null;
    const get = (): CelInput | undefined => {
      known ??= { value: read() };
      return known.value;
    };
    Object.defineProperty(bindings, name, { get, configurable: true });
  }
  return bindings;
}
