import type { ProviderBlock } from '../../settings/model.ts';
import type { ProviderId } from '../../settings/schema/providers.ts';
import type { Provider, ProviderPorts } from '../upstream/provider.ts';
import { createAtlassian } from './atlassian.ts';
import { createGithub } from './github.ts';
import { createGoogle } from './google.ts';
import { createKeycloak } from './keycloak.ts';
import { createOidc } from './oidc.ts';
import { createSalesforce } from './salesforce.ts';

type Create = (block: ProviderBlock, ports: ProviderPorts) => Provider;

const CREATE: { readonly [Id in ProviderId]: Create } = {
  atlassian: createAtlassian,
  github: createGithub,
  google: createGoogle,
  keycloak: createKeycloak,
  oidc: createOidc,
  salesforce: createSalesforce,
};

/** Creates the identity provider of a block (spec, "auth.provider values"). Keep it: it caches keys and discovery. */
export function createProvider(block: ProviderBlock, ports: ProviderPorts): Provider {
  return CREATE[block.id](block, ports);
}
