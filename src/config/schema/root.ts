import { aiDefinitions } from '../../operators/llm/schema/ai-backend.ts'
import { backendDefinitions } from '../../operators/backend/schema.ts'
import { balancingDefinitions } from '../../upstream/load-balancing/schema/balancing.ts'
import { bindDefinitions } from '../../streams/http/port/schema/bind.ts'
import { frontendDefinitions } from '../../streams/http/frontend/schema/frontend.ts'
import { gatewayDefinitions } from '../../streams/http/port/schema/gateway.ts'
import { listOf, mapOf, noEffect, oneOrMany, record, ref, type SchemaNode, text } from './builders.ts'
import { llmDefinitions } from '../../operators/llm/schema/llm.ts'
import { matchDefinitions } from '../../operators/route/schema/match.ts'
import { mcpDefinitions } from '../../operators/mcp/schema.ts'
import { backendPolicyDefinitions, definitionsOfPolicies, policyDefinitions } from './policies.ts'
import { keepaliveDefinitions, upstreamTcpDefinitions } from '../../upstream/connect/schema.ts'
import { upstreamHttpDefinitions } from '../../upstream/http/schema.ts'
import { processDefinitions } from './process.ts'
import { referenceDefinitions } from './references.ts'
import { routeDefinitions } from '../../operators/route/schema/route.ts'
import { serviceDefinitions } from '../../upstream/load-balancing/schema/service.ts'
import { targetedPolicyDefinitions } from './targeted-policy.ts'
import { tlsDefinitions } from '../../streams/http/tls/schema.ts'
import { tunnelDefinitions } from '../../upstream/backend-tunnel/schema.ts'

/** The schema of a configuration file. Checks, types, documentation and the schema for editors are made from it. */
export const schema: SchemaNode = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'ConfigFile',
  ...record('The configuration of a gateway.', {
    config: ref('ProcessSection'),
    gateways: mapOf(ref('Gateway'), 'Ports that are listened on, by name.', {
      propertyNames: { pattern: '^[^/]+$', maxLength: 253 },
    }),
    routes: listOf(ref('AttachedRoute'), 'HTTP routes of gateways.'),
    tcpRoutes: listOf(ref('AttachedTcpRoute'), 'TCP routes of gateways.'),
    backends: listOf(ref('NamedBackend'), 'Backends that routes refer to by name.'),
    routeGroups: listOf(ref('RouteGroup'), 'Routes that other routes hand requests on to.'),
    policies: listOf(ref('TargetedPolicy'), 'Policies that are attached to something by name.'),
    frontendPolicies: ref('FrontendPolicies'),
    services: listOf(ref('Service'), 'Names with endpoints behind them.'),
    workloads: listOf(ref('Workload'), 'Endpoints of services.'),
    llm: ref('LlmSection'),
    mcp: ref('McpSection'),
    ui: noEffect(
      record('The web interface.', {
        gateways: oneOrMany(text('A gateway.'), 'The gateways it is reached through.'),
        policies: { description: 'Who may use it.', type: 'object' },
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
    ...serviceDefinitions,
    ...mcpDefinitions,
    ...llmDefinitions,
    ...aiDefinitions,
  },
}
