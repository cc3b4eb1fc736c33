import { aiPolicy, mergeLlmPolicies } from '../../operators/llm/normalize/ai-policy.ts'
import { backendAuth } from '../../operators/backend-auth/normalize/backend-auth.ts'
import { mcpGuardrails } from '../../operators/mcp/guardrails/normalize.ts'
import { mcpGuardrailDefinitions } from '../../operators/mcp/guardrails/schema.ts'
import { tlsUpstream } from '../../streams/http/tls/normalize.ts'
import { tunnel } from '../../upstream/backend-tunnel/normalize.ts'
import { upstreamTcp } from '../../upstream/connect/normalize.ts'
import { upstreamHttp } from '../../upstream/http/normalize.ts'
import { backendHealth, loadBalancing } from '../../upstream/load-balancing/normalize.ts'
import { secretDefinitions } from '../schema/secret-text.ts'
import { backendAuthDefinitions } from '../../operators/backend-auth/schema/backend-auth.ts'
import { cloudDefinitions } from '../../operators/backend-auth/schema/cloud-auth.ts'
import { oauthDefinitions } from '../../operators/backend-auth/schema/oauth.ts'
import { at, type PolicyRow } from '../policy-row.ts'
import { ours, ref } from '../schema/builders.ts'
import type * as File from '../schema/file-types.gen.ts'

/** How backends are called. A row each, as `policies.ts` has them. */
export const backendPolicyRows = {
  mcpGuardrails: {
    field: ref('McpGuardrails'),
    definitions: mcpGuardrailDefinitions,
    normalize: mcpGuardrails,
    route: at(16, 11),
    backend: at(15, 15),
    handedTo: ['backends'],
    intoGroups: 'replace',
  },
  backendAuth: {
    field: ref('BackendAuth'),
    definitions: {
      ...secretDefinitions,
      ...backendAuthDefinitions,
      ...cloudDefinitions,
      ...oauthDefinitions,
    },
    normalize: backendAuth,
    route: at(27, 27),
    backend: at(6, 6),
    callout: true,
    handedTo: ['backends', 'targets', 'providers'],
  },
  backendTLS: {
    field: ref('UpstreamTls'),
    normalize: tlsUpstream,
    route: at(26, 26),
    backend: at(5, 5),
    callout: true,
    handedTo: ['backends', 'targets', 'providers'],
  },
  backendTunnel: {
    field: ref('BackendTunnel'),
    normalize: tunnel,
    route: at(30, 28),
    backend: at(17, 7),
    callout: true,
    handedTo: ['backends', 'targets', 'providers'],
  },
  http: {
    field: ref('UpstreamHttp'),
    normalize: upstreamHttp,
    backend: at(7, 8),
    callout: true,
    handedTo: ['targets', 'providers'],
  },
  tcp: {
    field: ref('UpstreamTcp'),
    normalize: upstreamTcp,
    backend: at(8, 9),
    callout: true,
    handedTo: ['targets', 'providers'],
  },
  health: {
    field: ref('BackendHealth'),
    normalize: backendHealth,
    route: at(31, 31, { field: ours(ref('BackendHealth')) }),
    backend: at(9, 10),
    handedTo: ['backends', 'providers'],
  },
  loadBalancing: {
    field: ours(ref('LoadBalancing')),
    normalize: loadBalancing,
    route: at(32, 32),
    backend: at(18, 11),
    handedTo: ['backends'],
  },
  sessionAffinity: {
    field: ref('SessionAffinity'),
    normalize: (policy: File.SessionAffinity) => policy,
    backend: at(10, 12),
  },
  ai: {
    field: ref('AiPolicy'),
    normalize: aiPolicy,
    route: at(29, 30),
    backend: at(16, 18),
    merge: mergeLlmPolicies,
    handedTo: ['backends'],
    intoGroups: 'replace',
    tracedAs: 'llm',
  },
} as const satisfies Readonly<Record<string, PolicyRow>>
