import { propertyOf } from '../../policy/fields.ts';
import type { PolicyScope } from '../../policy/scope.ts';
import type { TypeOf } from './assignments.ts';

/** The declared types of arguments, by their path in input conditions. */
export function typesOfInput({ parameters }: PolicyScope): TypeOf {
  return (path) => parameters.find(({ name }) => name === path);
}

/** The declared types of a result's parts, by their path in output conditions. Results are validated before. */
export function typesOfOutput({ returns }: PolicyScope): TypeOf {
  return (path) => {
    const [root, ...keys] = path.split('.');
    if (root !== 'response' || returns === null) return undefined;
    return keys.reduce<ReturnType<TypeOf>>((node, key) => node && propertyOf(node, key), returns);
  };
}
