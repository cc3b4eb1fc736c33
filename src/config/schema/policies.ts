import { oneOrMany, record, ref } from './kinds.ts'
import type { Properties } from './kinds.ts'

/** Policies that act before a route is known; also written beside the fields of a gateway. */
export const gatewayPolicyFields: Properties = {
  cors: ref('Cors'),
  transformations: ref('ConditionalTransformations'),
  authorization: ref('Authorization'),
  basicAuth: ref('BasicAuth'),
  apiKey: ref('ApiKeys'),
  jwtAuth: ref('JwtAuth'),
  extAuthz: ref('ConditionalExtAuthz'),
  oidc: ref('Oidc'),
  extProc: ref('ConditionalExtProc'),
}

const routePolicies = record('What happens to requests and answers of a route.', {
  requestHeaderModifier: ref('HeaderModifier', 'Changes headers of requests.'),
  responseHeaderModifier: ref('HeaderModifier', 'Changes headers of answers.'),
  requestRedirect: ref('Redirect'),
  urlRewrite: ref('Rewrite'),
  requestMirror: oneOrMany(ref('Mirror'), 'Sends copies of requests elsewhere.'),
  directResponse: ref('ConditionalDirectResponse'),
  cors: ref('Cors'),
  csrf: ref('Csrf'),
  localRateLimit: ref('LocalRateLimit'),
  authorization: ref('Authorization'),
  basicAuth: ref('BasicAuth'),
  apiKey: ref('ApiKeys'),
  jwtAuth: ref('JwtAuth'),
  mcpAuthentication: ref('McpAuthentication'),
  mcpAuthorization: ref('McpAuthorization'),
  mcpGuardrails: ref('McpGuardrails'),
  oidc: ref('Oidc'),
  extAuthz: ref('ConditionalExtAuthz'),
  remoteRateLimit: ref('ConditionalRemoteRateLimit'),
  extProc: ref('ConditionalExtProc'),
  transformations: ref('ConditionalTransformations'),
  buffer: ref('Buffer'),
  timeout: ref('Timeout'),
  retry: ref('Retry'),
  delay: ref('Delay'),
  backendTLS: ref('UpstreamTls'),
  backendAuth: ref('BackendAuth'),
  a2a: ref('A2a'),
  ai: ref('AiPolicy'),
  backendTunnel: ref('BackendTunnel'),
})

const gatewayPolicies = record(
  'What happens to all requests of a listener, before a route is known.',
  gatewayPolicyFields,
)

/** Definitions about containers of policies. */
export const policyDefinitions: Properties = {
  RoutePolicies: routePolicies,
  GatewayPolicies: gatewayPolicies,
}
