import { a2aDefinitions } from './a2a.ts'
import { backendAuthDefinitions } from './backend-auth.ts'
import { authorizationDefinitions } from './authorization.ts'
import { aiDefinitions } from './ai.ts'
import { apiKeyDefinitions } from './api-key.ts'
import { basicAuthDefinitions } from './basic-auth.ts'
import { backendDefinitions } from './backend.ts'
import { backendPolicyDefinitions } from './backend-policies.ts'
import { bindDefinitions } from './bind.ts'
import { cloudDefinitions } from './cloud-auth.ts'
import { credentialDefinitions } from './credential-location.ts'
import { addressingDefinitions } from './addressing.ts'
import { extAuthzDefinitions } from './ext-authz.ts'
import { extProcDefinitions } from './ext-proc.ts'
import { frontendDefinitions } from './frontend.ts'
import { gatewayDefinitions } from './gateway.ts'
import { headerDefinitions } from './headers.ts'
import { jwtAuthDefinitions } from './jwt-auth.ts'
import { listOf, mapOf, noEffect, oneOrMany, record, ref, text } from './kinds.ts'
import type { Schema } from './kinds.ts'
import { llmDefinitions } from './llm.ts'
import { localRateLimitDefinitions } from './local-rate-limit.ts'
import { matchDefinitions } from './match.ts'
import { mcpGuardrailDefinitions } from './mcp-guardrails.ts'
import { mcpAuthenticationDefinitions } from './mcp-authentication.ts'
import { mcpDefinitions } from './mcp.ts'
import { oauthDefinitions } from './oauth.ts'
import { oidcDefinitions } from './oidc.ts'
import { policyDefinitions } from './policies.ts'
import { policyBackendDefinitions } from './policy-backend.ts'
import { processDefinitions } from './process.ts'
import { referenceDefinitions } from './references.ts'
import { remoteRateLimitDefinitions } from './remote-rate-limit.ts'
import { routeDefinitions } from './route.ts'
import { secretDefinitions } from './secret-text.ts'
import { serviceDefinitions } from './service.ts'
import { targetedPolicyDefinitions } from './targeted-policy.ts'
import { tlsDefinitions } from './tls.ts'
import { tunnelDefinitions } from './tunnel.ts'
import { trafficDefinitions } from './traffic-policies.ts'

/** The one description of a configuration file: editors, checks, types and documentation are made from it. */
export const schema: Schema = {
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
    ...authorizationDefinitions,
    ...localRateLimitDefinitions,
    ...basicAuthDefinitions,
    ...oidcDefinitions,
    ...apiKeyDefinitions,
    ...policyBackendDefinitions,
    ...extAuthzDefinitions,
    ...a2aDefinitions,
    ...extProcDefinitions,
    ...remoteRateLimitDefinitions,
    ...trafficDefinitions,
    ...addressingDefinitions,
    ...headerDefinitions,
    ...credentialDefinitions,
    ...jwtAuthDefinitions,
    ...mcpAuthenticationDefinitions,
    ...mcpGuardrailDefinitions,
    ...secretDefinitions,
    ...backendAuthDefinitions,
    ...cloudDefinitions,
    ...oauthDefinitions,
    ...backendPolicyDefinitions,
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
