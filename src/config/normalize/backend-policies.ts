import type { BackendPolicies, Health, Keepalives, UpstreamHttp, UpstreamTcp } from '../../model/policies.ts'
import type { SimpleBackendPolicies } from '../../model/policy-backend.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { aiPolicy } from './ai-policy.ts'
import { backendAuth } from './backend-auth.ts'
import { authorization } from './authorization.ts'
import { milliseconds } from './context.ts'
import type { Context } from './context.ts'
import { plainExtAuthz } from './ext-authz.ts'
import { defined, given } from './defined.ts'
import { mcpGuardrails } from './mcp-guardrails.ts'
import { headerModifier } from './headers.ts'
import { tlsUpstream } from './tls.ts'
import { tunnel } from './tunnel.ts'
import { plainTransformations, redirect } from './traffic-policies.ts'

/** The policies of a backend, named or inline. */
export function backendPolicies(policies: File.BackendPolicies = {}, context: Context): BackendPolicies {
  return defined<BackendPolicies>({
    requestHeaderModifier: given(policies.requestHeaderModifier, headerModifier),
    responseHeaderModifier: given(policies.responseHeaderModifier, headerModifier),
    requestRedirect: given(policies.requestRedirect, redirect),
    transformations: given(policies.transformations, plainTransformations),
    backendTLS: given(policies.backendTLS, tlsUpstream),
    backendAuth: given(policies.backendAuth, (policy) => backendAuth(policy, context)),
    backendTunnel: given(policies.backendTunnel, (policy) => tunnel(policy, context)),
    http: given(policies.http, upstreamHttp),
    tcp: given(policies.tcp, upstreamTcp),
    health: given(policies.health, health),
    sessionAffinity: policies.sessionAffinity,
    authorization: given(policies.authorization, authorization),
    mcpAuthorization: given(policies.mcpAuthorization, authorization),
    mcpGuardrails: given(policies.mcpGuardrails, (policy) => mcpGuardrails(policy, context)),
    extAuthz: given(policies.extAuthz, (policy) => plainExtAuthz(policy, context)),
    a2a: given(policies.a2a, () => ({})),
    ai: given(policies.ai, (policy) => aiPolicy(policy, context)),
  })
}

/** The policies of a service that a policy calls. */
export function simpleBackendPolicies(
  policies: Pick<File.BackendPolicies, keyof SimpleBackendPolicies> = {},
  context: Context,
): SimpleBackendPolicies {
  return defined<SimpleBackendPolicies>({
    requestHeaderModifier: given(policies.requestHeaderModifier, headerModifier),
    transformations: given(policies.transformations, plainTransformations),
    backendTLS: given(policies.backendTLS, tlsUpstream),
    backendAuth: given(policies.backendAuth, (policy) => backendAuth(policy, context)),
    backendTunnel: given(policies.backendTunnel, (policy) => tunnel(policy, context)),
    http: given(policies.http, upstreamHttp),
    tcp: given(policies.tcp, upstreamTcp),
  })
}

/** Keepalive probes with the defaults filled in. */
export function keepalives(settings: File.Keepalives = {}): Keepalives {
  return {
    enabled: settings.enabled ?? defaults.keepalives.enabled,
    timeMs: milliseconds(settings.time ?? defaults.keepalives.time),
    intervalMs: milliseconds(settings.interval ?? defaults.keepalives.interval),
    retries: settings.retries ?? defaults.keepalives.retries,
  }
}

function upstreamHttp({ version, requestTimeout }: File.UpstreamHttp): UpstreamHttp {
  return defined<UpstreamHttp>({
    // YAML reads 1.1 and 2 as numbers.
    version: given(version, (written) => (String(written) === '2' ? '2' : '1.1')),
    requestTimeoutMs: given(requestTimeout, milliseconds),
  })
}

/** How connections are made. */
export function upstreamTcp(policy: File.UpstreamTcp): UpstreamTcp {
  return defined<UpstreamTcp>({
    connectTimeoutMs: milliseconds(policy.connectTimeout ?? defaults.policyConnectTimeout),
    keepalives: given(policy.keepalives, keepalives),
  })
}

/** Which answers count against an endpoint. */
export function health({ unhealthyExpression, eviction }: File.Health): Health {
  return defined<Health>({
    unhealthyExpression,
    eviction: given(eviction, ({ duration, restoreHealth, consecutiveFailures, healthThreshold }) =>
      defined<NonNullable<Health['eviction']>>({
        durationMs: given(duration, milliseconds),
        restoreHealth,
        consecutiveFailures,
        healthThreshold,
      }),
    ),
  })
}
