import { normalizeJwtAuth } from '../../operators/jwt-auth/normalize.ts'
import { mcpAuthentication } from '../../operators/mcp-authentication/normalize/mcp-authentication.ts'
import { mcpAuthenticationDefinitions } from '../../operators/mcp-authentication/schema.ts'
import { credentialDefinitions } from '../schema/credential-location.ts'
import { jwtAuthDefinitions } from '../../operators/jwt-auth/schema.ts'
import { at, type PolicyRow } from '../policy-row.ts'
import { ours, ref } from '../schema/builders.ts'

const OF_BACKENDS =
  'Of MCP servers: authentication of all routes that lead to them. All backends of such a route must have the same.'

/** Policies that verify tokens. */
export const tokenPolicies = {
  jwtAuth: {
    field: ref('JwtAuth'),
    definitions: { ...credentialDefinitions, ...jwtAuthDefinitions },
    normalize: normalizeJwtAuth,
    phase: 'request',
    gateway: at(6, 7),
    route: at(13, 7),
    beforeResponse: ['location.expression'],
    tracedAs: 'jwt',
  },
  mcpAuthentication: {
    field: ref('McpAuthentication'),
    definitions: mcpAuthenticationDefinitions,
    normalize: mcpAuthentication,
    phase: 'both',
    route: at(14, 8),
    backend: at(21, 21, { field: ours(ref('McpAuthentication', OF_BACKENDS)) }),
  },
} as const satisfies Readonly<Record<string, PolicyRow>>
