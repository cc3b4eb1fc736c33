import type { GatewayPolicies, RoutePolicies } from '../../model/policies.ts'
import type * as File from '../file-types.gen.ts'
import { aiPolicy } from './ai-policy.ts'
import { backendAuth } from './backend-auth.ts'
import { authorization } from './authorization.ts'
import { apiKeys } from './api-key.ts'
import { basicAuth } from './basic-auth.ts'
import type { Context } from './context.ts'
import { extAuthz } from './ext-authz.ts'
import { extProc } from './ext-proc.ts'
import { defined, given } from './defined.ts'
import { jwtAuth } from './jwt-auth.ts'
import { mcpAuthentication } from './mcp-authentication.ts'
import { mcpGuardrails } from './mcp-guardrails.ts'
import { localRateLimit } from './local-rate-limit.ts'
import { headerModifier } from './headers.ts'
import { remoteRateLimit } from './remote-rate-limit.ts'
import { oidc } from './oidc.ts'
import { tlsUpstream } from './tls.ts'
import { tunnel } from './tunnel.ts'
import {
  buffer,
  cors,
  delay,
  directResponse,
  mirrors,
  redirect,
  retry,
  rewrite,
  timeout,
  transformations,
} from './traffic-policies.ts'

/**
 * The policies of a route.
 *
 * @param instance What they are written inside of, by a name that is the same after a change elsewhere.
 */
export function routePolicies(
  policies: File.RoutePolicies = {},
  context: Context,
  instance: string,
): RoutePolicies {
  return defined<RoutePolicies>({
    cors: given(policies.cors, cors),
    extAuthz: given(policies.extAuthz, (policy) => extAuthz(policy, context)),
    extProc: given(policies.extProc, (policy) => extProc(policy, context)),
    oidc: given(policies.oidc, (policy) => oidc(policy, context)),
    basicAuth: given(policies.basicAuth, (policy) => basicAuth(policy, context)),
    apiKey: given(policies.apiKey, apiKeys),
    jwtAuth: given(policies.jwtAuth, (policy) => jwtAuth(policy, context)),
    mcpAuthentication: given(policies.mcpAuthentication, (policy) => mcpAuthentication(policy, context)),
    authorization: given(policies.authorization, authorization),
    mcpAuthorization: given(policies.mcpAuthorization, authorization),
    mcpGuardrails: given(policies.mcpGuardrails, (policy) => mcpGuardrails(policy, context)),
    localRateLimit: given(policies.localRateLimit, (policy) => localRateLimit(policy, instance)),
    remoteRateLimit: given(policies.remoteRateLimit, (policy) => remoteRateLimit(policy, context)),
    csrf: given(policies.csrf, ({ additionalOrigins }) => ({ additionalOrigins: additionalOrigins ?? [] })),
    requestHeaderModifier: given(policies.requestHeaderModifier, headerModifier),
    responseHeaderModifier: given(policies.responseHeaderModifier, headerModifier),
    requestRedirect: given(policies.requestRedirect, redirect),
    urlRewrite: given(policies.urlRewrite, rewrite),
    requestMirror: given(policies.requestMirror, mirrors),
    directResponse: given(policies.directResponse, directResponse),
    transformations: given(policies.transformations, transformations),
    timeout: given(policies.timeout, timeout),
    retry: given(policies.retry, retry),
    buffer: given(policies.buffer, (policy) => buffer(policy, context)),
    delay: given(policies.delay, delay),
    backendTLS: given(policies.backendTLS, tlsUpstream),
    backendAuth: given(policies.backendAuth, (policy) => backendAuth(policy, context)),
    backendTunnel: given(policies.backendTunnel, (policy) => tunnel(policy, context)),
    a2a: given(policies.a2a, () => ({})),
    ai: given(policies.ai, (policy) => aiPolicy(policy, context)),
  })
}

/** The policies of a gateway or listener, which gateways have among their other fields. */
export function gatewayPolicies(policies: File.GatewayPolicies = {}, context: Context): GatewayPolicies {
  return defined<GatewayPolicies>({
    cors: given(policies.cors, cors),
    extAuthz: given(policies.extAuthz, (policy) => extAuthz(policy, context)),
    extProc: given(policies.extProc, (policy) => extProc(policy, context)),
    oidc: given(policies.oidc, (policy) => oidc(policy, context)),
    basicAuth: given(policies.basicAuth, (policy) => basicAuth(policy, context)),
    apiKey: given(policies.apiKey, apiKeys),
    jwtAuth: given(policies.jwtAuth, (policy) => jwtAuth(policy, context)),
    authorization: given(policies.authorization, authorization),
    transformations: given(policies.transformations, transformations),
  })
}
