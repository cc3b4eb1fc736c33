import { a2aDefinitions } from '../../operators/a2a/schema.ts'
import { apiKeys } from '../../operators/api-key/normalize.ts'
import { apiKeyDefinitions } from '../../operators/api-key/schema.ts'
import { normalizeAuthorization, mergeRules } from '../../operators/authorization/normalize.ts'
import { authorizationDefinitions } from '../../operators/authorization/schema.ts'
import { normalizeBasicAuth } from '../../operators/basic-auth/normalize.ts'
import { basicAuthDefinitions } from '../../operators/basic-auth/schema.ts'
import { normalizeExtAuthz, plainExtAuthz } from '../../operators/ext-authz/normalize.ts'
import { normalizeExtProc } from '../../operators/ext-proc/normalize.ts'
import { extProcDefinitions } from '../../operators/ext-proc/schema.ts'
import { normalizeLocalRateLimit } from '../../operators/local-rate-limit/normalize.ts'
import { localRateLimitDefinitions } from '../../operators/local-rate-limit/schema.ts'
import { normalizeOidc } from '../../operators/oidc/normalize.ts'
import { oidcDefinitions } from '../../operators/oidc/schema.ts'
import { normalizeRemoteRateLimit } from '../../operators/remote-rate-limit/normalize.ts'
import { remoteRateLimitDefinitions } from '../../operators/remote-rate-limit/schema.ts'
import { extAuthzDefinitions } from '../../operators/ext-authz/schema.ts'
import { at, type PolicyRow } from '../policy-row.ts'
import { ref } from '../schema/builders.ts'

/** Policies that decide which requests pass, and how many. */
export const accessPolicies = {
  authorization: {
    field: ref('Authorization'),
    definitions: authorizationDefinitions,
    normalize: normalizeAuthorization,
    phase: 'request',
    gateway: at(3, 8),
    route: at(10, 9),
    backend: at(11, 13),
    merge: mergeRules,
  },
  mcpAuthorization: {
    field: ref('McpAuthorization'),
    normalize: normalizeAuthorization,
    phase: 'call',
    route: at(15, 10),
    backend: at(14, 14),
    merge: mergeRules,
    handedTo: ['backends'],
    intoGroups: 'merge',
  },
  localRateLimit: {
    field: ref('LocalRateLimit'),
    definitions: localRateLimitDefinitions,
    normalize: normalizeLocalRateLimit,
    phase: 'both',
    conditional: true,
    route: at(9, 12),
    beforeResponse: ['condition'],
  },
  basicAuth: {
    field: ref('BasicAuth'),
    definitions: basicAuthDefinitions,
    normalize: normalizeBasicAuth,
    phase: 'request',
    gateway: at(4, 5),
    route: at(11, 5),
    beforeResponse: ['authorizationLocation.expression'],
  },
  oidc: {
    field: ref('Oidc'),
    definitions: oidcDefinitions,
    normalize: normalizeOidc,
    phase: 'request',
    gateway: at(8, 4),
    route: at(17, 4),
  },
  apiKey: {
    field: ref('ApiKeys'),
    definitions: apiKeyDefinitions,
    normalize: apiKeys,
    phase: 'request',
    gateway: at(5, 6),
    route: at(12, 6),
    beforeResponse: ['location.expression'],
  },
  extAuthz: {
    field: ref('ConditionalExtAuthz'),
    definitions: extAuthzDefinitions,
    normalize: normalizeExtAuthz,
    phase: 'both',
    conditional: true,
    callsService: true,
    gateway: at(7, 2),
    route: at(18, 2),
    backend: at(12, 16, { field: ref('ExtAuthz'), normalize: plainExtAuthz }),
    beforeResponse: [
      'condition',
      'protocol.http.path',
      'protocol.http.body',
      'protocol.http.addRequestHeaders',
    ],
  },
  a2a: {
    field: ref('A2a'),
    definitions: a2aDefinitions,
    normalize: () => ({}),
    phase: 'both',
    route: at(28, 29),
    backend: at(13, 17),
    handedTo: ['backends'],
    intoGroups: 'replace',
  },
  extProc: {
    field: ref('ConditionalExtProc'),
    definitions: extProcDefinitions,
    normalize: normalizeExtProc,
    phase: 'both',
    conditional: true,
    callsService: true,
    gateway: at(9, 3),
    route: at(20, 3),
    beforeResponse: ['condition', 'requestAttributes'],
  },
  remoteRateLimit: {
    field: ref('ConditionalRemoteRateLimit'),
    definitions: remoteRateLimitDefinitions,
    normalize: normalizeRemoteRateLimit,
    phase: 'both',
    conditional: true,
    callsService: true,
    route: at(19, 13),
    beforeResponse: ['condition', 'descriptors'],
  },
} as const satisfies Readonly<Record<string, PolicyRow>>
