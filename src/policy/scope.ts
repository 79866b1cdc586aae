import type { Endpoint, EndpointKind } from '../project/model.ts';
import type { Parameter, TypeNode } from '../types/node.ts';

/** The two lists of rules. */
export type Side = 'input' | 'output';

/** The declared parameters and result that an endpoint's conditions may read. */
export interface PolicyScope {
  readonly kind: EndpointKind;
  readonly parameters: readonly Parameter[];
  readonly returns: TypeNode | null;
}

/** A prompt's result has a fixed form, regardless of its `return`. */
export function policyScopeOf({ kind, parameters, returns }: Endpoint): PolicyScope {
  return { kind, parameters, returns: kind === 'prompt' ? null : returns };
}
