import { aiPolicy, mergeLlmPolicies } from '../../operators/llm/normalize/ai-policy.ts'
import { backendAuth } from '../../operators/backend-auth/normalize/backend-auth.ts'
import { normalizeInferenceRouting } from '../../operators/inference-routing/normalize.ts'
import { inferenceRoutingDefinitions } from '../../operators/inference-routing/schema.ts'
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

/** Policies of calls to backends. */
export const backendPolicyRows = {
  mcpGuardrails: {
    field: ref('McpGuardrails'),
    definitions: mcpGuardrailDefinitions,
    normalize: mcpGuardrails,
    phase: 'call',
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
    phase: 'request',
    route: at(27, 27),
    backend: at(6, 6),
    target: at(4, 6),
    callout: at(5, 6, {
      field: ref(
        'BackendAuth',
        'How the gateway authenticates to the service. Not supported for token endpoints.',
      ),
    }),
    // Not into groups: the backends behind them may be those of others, who must not get the credential.
    handedTo: ['backends', 'targets', 'providers'],
  },
  backendTLS: {
    field: ref('UpstreamTls'),
    normalize: tlsUpstream,
    phase: 'call',
    route: at(26, 26),
    backend: at(5, 5),
    target: at(3, 5),
    callout: at(2, 5),
    handedTo: ['backends', 'targets', 'providers'],
    intoGroups: 'replace',
  },
  backendTunnel: {
    field: ref('BackendTunnel'),
    normalize: tunnel,
    phase: 'call',
    route: at(30, 28),
    backend: at(17, 7),
    target: at(7, 7),
    callout: at(7, 7),
    handedTo: ['backends', 'targets', 'providers'],
    intoGroups: 'replace',
  },
  http: {
    field: ref('UpstreamHttp'),
    normalize: upstreamHttp,
    phase: 'call',
    route: at(33, 33, { field: ours(ref('UpstreamHttp')) }),
    backend: at(7, 8),
    target: at(5, 8),
    callout: at(3, 8),
    handedTo: ['backends', 'targets', 'providers'],
    intoGroups: 'replace',
  },
  tcp: {
    field: ref('UpstreamTcp'),
    normalize: upstreamTcp,
    phase: 'call',
    route: at(34, 34, { field: ours(ref('UpstreamTcp')) }),
    backend: at(8, 9),
    target: at(6, 9),
    callout: at(4, 9),
    handedTo: ['backends', 'targets', 'providers'],
    intoGroups: 'replace',
  },
  health: {
    field: ref('BackendHealth'),
    normalize: backendHealth,
    phase: 'call',
    route: at(31, 31, { field: ours(ref('BackendHealth')) }),
    backend: at(9, 10),
    handedTo: ['backends', 'providers'],
    intoGroups: 'replace',
  },
  loadBalancing: {
    field: ours(ref('LoadBalancing')),
    normalize: loadBalancing,
    phase: 'call',
    route: at(32, 32),
    backend: at(18, 11),
    handedTo: ['backends'],
  },
  sessionAffinity: {
    field: ref('SessionAffinity'),
    normalize: (policy: File.SessionAffinity) => policy,
    phase: 'call',
    backend: at(10, 12),
  },
  inferenceRouting: {
    field: ref('InferenceRouting'),
    definitions: inferenceRoutingDefinitions,
    normalize: normalizeInferenceRouting,
    phase: 'both',
    backend: at(20, 20),
  },
  ai: {
    field: ref('AiPolicy'),
    normalize: aiPolicy,
    phase: 'call',
    route: at(29, 30),
    backend: at(16, 18),
    merge: mergeLlmPolicies,
    handedTo: ['backends'],
    intoGroups: 'replace',
    tracedAs: 'llm',
  },
} as const satisfies Readonly<Record<string, PolicyRow>>
