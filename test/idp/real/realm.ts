/** The client of our server in the realm. */
export const CLIENT = { id: 'svc', secret: 'keycloak+planted%secret' };
/** A client of MCP that the realm knows. The SDKs do not encode what HTTP Basic carries, so its secret is plain. */
export const MCP_CLIENT = { client_id: 'mcp-client', client_secret: 'planted-plain' };
/** The name of our server in the tokens of that client. */
export const AUDIENCE = 'https://mcp.example.com/mcp';
export const REALM = 'main';

const person = (username: string, more: object = {}) => ({
  username,
  enabled: true,
  email: `${username}@example.com`,
  emailVerified: true,
  firstName: username,
  lastName: 'Example',
  credentials: [{ type: 'password', value: 'secret' }],
  ...more,
});

/**
 * The realm that Keycloak imports. Ada is in both groups and has a role of the realm and one of the client, Bob is in the
 * group staff alone, and Eve is in no group.
 */
export const IMPORT = {
  realm: REALM,
  enabled: true,
  sslRequired: 'none',
  roles: { realm: [{ name: 'analyst' }], client: { [CLIENT.id]: [{ name: 'exporter' }] } },
  groups: [{ name: 'staff', subGroups: [{ name: 'admins' }] }],
  clients: [
    {
      clientId: CLIENT.id,
      secret: CLIENT.secret,
      redirectUris: ['http://127.0.0.1:*'],
      protocolMappers: [
        {
          name: 'groups',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-group-membership-mapper',
          config: { 'claim.name': 'groups', 'full.path': 'true', 'id.token.claim': 'true' },
        },
      ],
    },
    {
      clientId: MCP_CLIENT.client_id,
      secret: MCP_CLIENT.client_secret,
      redirectUris: ['http://127.0.0.1:*'],
      protocolMappers: [
        {
          name: 'audience',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-audience-mapper',
          config: { 'included.custom.audience': AUDIENCE, 'access.token.claim': 'true' },
        },
      ],
    },
  ],
  users: [
    person('ada', {
      groups: ['/staff', '/staff/admins'],
      realmRoles: ['analyst', `default-roles-${REALM}`],
      clientRoles: { [CLIENT.id]: ['exporter'] },
    }),
    person('bob', { groups: ['/staff'], realmRoles: [`default-roles-${REALM}`] }),
    person('eve', { realmRoles: [`default-roles-${REALM}`] }),
  ],
};
