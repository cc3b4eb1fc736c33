import { aiDefinitions } from '../../operators/llm/schema/ai-backend.ts'
import { backendDefinitions } from '../../operators/backend/schema.ts'
import { balancingDefinitions } from '../../upstream/load-balancing/schema/balancing.ts'
import { bindDefinitions } from '../../streams/http/port/schema/bind.ts'
import { frontendDefinitions } from '../../streams/http/frontend/schema/frontend.ts'
import { gatewayDefinitions } from '../../streams/http/port/schema/gateway.ts'
import { listOf, mapOf, noEffect, oneOrMany, ours, record, ref, type SchemaNode, text } from './builders.ts'
import { llmDefinitions } from '../../operators/llm/schema/llm.ts'
import { matchDefinitions } from '../../operators/route/schema/match.ts'
import { mcpDefinitions } from '../../operators/mcp/schema.ts'
import { backendPolicyDefinitions, definitionsOfPolicies, policyDefinitions } from './policies.ts'
import { keepaliveDefinitions, upstreamTcpDefinitions } from '../../upstream/connect/schema.ts'
import { upstreamHttpDefinitions } from '../../upstream/http/schema.ts'
import { otlpDefinitions } from '../../operators/otlp/schema.ts'
import { processDefinitions } from './process.ts'
import { referenceDefinitions } from './references.ts'
import { routeDefinitions } from '../../operators/route/schema/route.ts'
import { serviceDefinitions } from '../../upstream/load-balancing/schema/service.ts'
import { targetedPolicyDefinitions } from './targeted-policy.ts'
import { tlsDefinitions } from '../../streams/http/tls/schema.ts'
import { tunnelDefinitions } from '../../upstream/backend-tunnel/schema.ts'

/** The schema of the configuration file, from which checks, types, editor support and documentation are generated. */
export const schema: SchemaNode = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'ConfigFile',
  ...record('Gateway configuration.', {
    config: ref('ProcessSection'),
    gateways: mapOf(ref('Gateway'), 'Listening ports, by name.', {
      propertyNames: { pattern: '^[^/]+$', maxLength: 253 },
    }),
    routes: listOf(ref('AttachedRoute'), 'HTTP routes.'),
    tcpRoutes: listOf(ref('AttachedTcpRoute'), 'TCP routes.'),
    udpRoutes: ours(listOf(ref('AttachedUdpRoute'), 'UDP routes.')),
    backends: listOf(ref('NamedBackend'), 'Backends that routes and policies refer to by name.'),
    routeGroups: listOf(ref('RouteGroup'), 'Groups of routes that other routes delegate to.'),
    policies: listOf(ref('TargetedPolicy'), 'Policies attached to gateways, routes or backends by name.'),
    frontendPolicies: ref('FrontendPolicies'),
    services: listOf(ref('Service'), 'Services; their endpoints are in `workloads`.'),
    workloads: listOf(ref('Workload'), 'Endpoints of the services.'),
    llm: ref('LlmSection'),
    mcp: ref('McpSection'),
    ui: noEffect(
      record('Web interface.', {
        gateways: oneOrMany(text('Gateway name.'), 'Gateways that serve the web interface.'),
        policies: { description: 'Policies that control access.', type: 'object' },
      }),
    ),
    binds: {
      ...listOf(
        ref('Bind'),
        'Ports with listeners and routes, in the older form. Use `gateways` and `routes`.',
      ),
      deprecated: true,
    },
  }),
  $defs: {
    ...processDefinitions,
    ...gatewayDefinitions,
    ...bindDefinitions,
    ...routeDefinitions,
    ...matchDefinitions,
    ...backendDefinitions,
    ...policyDefinitions,
    ...definitionsOfPolicies,
    ...keepaliveDefinitions,
    ...upstreamHttpDefinitions,
    ...upstreamTcpDefinitions,
    ...backendPolicyDefinitions,
    ...balancingDefinitions,
    ...tlsDefinitions,
    ...tunnelDefinitions,
    ...referenceDefinitions,
    ...targetedPolicyDefinitions,
    ...frontendDefinitions,
    ...otlpDefinitions,
    ...serviceDefinitions,
    ...mcpDefinitions,
    ...llmDefinitions,
    ...aiDefinitions,
  },
}
