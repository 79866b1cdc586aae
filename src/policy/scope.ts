import type { Endpoint } from '../project/model.ts';
import type { PolicyScope } from './compile.ts';

/** A prompt's result has a fixed form, regardless of its `return`. */
export function policyScopeOf({
  kind,
  parameters,
  returns,
}: Pick<Endpoint, 'kind' | 'parameters' | 'returns'>): PolicyScope {
  return { kind, parameters, returns: kind === 'prompt' ? null : returns };
}
