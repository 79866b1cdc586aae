import { propertyOf } from '../../policy/fields.ts';
import type { PolicyScope } from '../../policy/scope.ts';
import type { TypeOf } from './assignments.ts';

/** What arguments are declared to be, by their path in input conditions. */
export function typesOfInput({ parameters }: PolicyScope): TypeOf {
  return (path) => parameters.find(({ name }) => name === path);
}

/** What the parts of a result are declared to be, by their path in output conditions; a result is held to it before. */
export function typesOfOutput({ returns }: PolicyScope): TypeOf {
  return (path) => {
    const [root, ...keys] = path.split('.');
    if (root !== 'response' || returns === null) return undefined;
    return keys.reduce<ReturnType<TypeOf>>((node, key) => node && propertyOf(node, key), returns);
  };
}
