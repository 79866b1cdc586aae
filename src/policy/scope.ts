import type { EndpointKind } from '../project/model.ts';
import type { Parameter, TypeNode } from '../types/node.ts';

/** The two lists of rules. */
export type Side = 'input' | 'output';

/** The declared parameters and result that an endpoint's conditions may read. */
export interface PolicyScope {
  readonly kind: EndpointKind;
  readonly parameters: readonly Parameter[];
  readonly returns: TypeNode | null;
}
