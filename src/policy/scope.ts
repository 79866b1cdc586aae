import type { EndpointKind } from '../project/model.ts';
import type { Parameter, TypeNode } from '../types/node.ts';

/** The two places of a rule. */
export type Side = 'input' | 'output';

/** What the conditions of an endpoint can be about. */
export interface PolicyScope {
  readonly kind: EndpointKind;
  readonly parameters: readonly Parameter[];
  readonly returns: TypeNode | null;
}
