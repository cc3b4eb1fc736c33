import type { BackendPolicies, GatewayPolicies, RoutePolicies } from '../../model/resources/policies.ts'
import { ruleParts } from '../../operators/authorization/stage.ts'
import type { JwtAuth } from '../../operators/jwt-auth/schema.ts'
import type { McpAuthentication } from '../../operators/mcp-authentication/schema.ts'
import type { LlmGuards } from '../../operators/llm/guardrails/schema/normal-form.ts'

/** A policy whose verdict depends on more than the request and the configuration. */
export interface UndecidedPolicy {
  readonly policy: string
  /** What it depends on. */
  readonly why: string
}

/** What is taken as given instead of being decided. */
export interface Assumptions {
  /** The claims of the caller, in place of verifying a token. */
  readonly claims?: object | undefined
  /**
   * Tokens are assumed valid instead of being verified: those whose keys would have to be fetched, or all, because
   * records do not have them.
   */
  readonly tokensAreValid?: 'remoteKeys' | 'all' | undefined
}

/** Policies of one resource, in two parts. */
export interface SplitPolicies<P> {
  readonly decided: P
  readonly undecided: readonly UndecidedPolicy[]
  /** Variables of expressions that the undecided ones would have set, here and at the levels before. */
  readonly absent: readonly string[]
}

type AnyPolicies = GatewayPolicies | RoutePolicies | BackendPolicies

/**
 * Splits off the policies that cannot be decided by configuration and request, which are assumed to let pass.
 *
 * @param before Absent variables of the levels before.
 */
export const splitPolicies = <P extends AnyPolicies>(
  policies: P,
  assumptions: Assumptions,
  before: readonly string[] = [],
): SplitPolicies<P> => {
  const undecided: UndecidedPolicy[] = []
  const kept = Object.entries(policies).flatMap(([policy, value]): [string, unknown][] => {
    const why = dependsOn(policy, value, assumptions)
    if (why !== undefined) undecided.push({ policy, why })
    if (why !== undefined || withoutEffect.has(policy)) return []
    return [[policy, policy === 'ai' ? localGuards(value as object) : value]]
  })
  const absent = [...new Set([...before, ...absentVariables(undecided, assumptions)])]
  const { authorization } = policies
  const unknown = absent.find((name) => mentions(authorization, name))
  if (unknown === undefined) return { decided: Object.fromEntries(kept) as unknown as P, undecided, absent }
  undecided.push({ policy: 'authorization', why: `a rule reads ${unknown}, which is known at run time` })
  return {
    decided: Object.fromEntries(kept.filter(([name]) => name !== 'authorization')) as unknown as P,
    undecided,
    absent,
  }
}

/** Guards without those that call a service. */
export const localOnly = (guards: LlmGuards): LlmGuards => ({
  ...guards,
  request: guards.request.filter(({ kind }) => kind.type === 'regex'),
  response: guards.response.filter(({ kind }) => kind.type === 'regex'),
})

/** They change no verdict, or only when; `health` and `requestMirror` would call services. */
const withoutEffect = new Set(['requestMirror', 'delay', 'health'])

const always: Readonly<Record<string, string>> = {
  extAuthz: 'the response of the authorization service',
  extProc: 'the response of the processing service',
  remoteRateLimit: 'the response of the rate limit service',
  localRateLimit: 'how much of the limit is used',
  oidc: 'whether the browser has a session',
}

/** Credentials that are fixed in the configuration or taken from the request. */
const localCredentials = ['key', 'passthrough', 'jwtSign', 'invalid', 'none']

const dependsOn = (policy: string, value: unknown, assumptions: Assumptions): string | undefined => {
  if (policy === 'jwtAuth' || policy === 'mcpAuthentication') {
    if (assumptions.claims) return 'the claims are given, no token is verified'
    if (assumptions.tokensAreValid === 'all') return 'whether the token is valid: the record does not have it'
    return assumptions.tokensAreValid && fetchesKeys(value as JwtAuth | McpAuthentication)
      ? 'whether the token is valid: its keys are not fetched here'
      : undefined
  }
  if (policy !== 'backendAuth') return always[policy]
  const ways = Object.keys(value as object).filter((name) => name !== 'credentials')
  const remote = ways.find((name) => !localCredentials.includes(name))
  return remote === undefined ? undefined : `the credential for the backend, which ${remote} provides`
}

const fetchesKeys = (policy: JwtAuth | McpAuthentication): boolean =>
  ('providers' in policy ? policy.providers : [policy.issuer]).some(({ jwks }) => jwks.kind === 'url')

const absentVariables = (
  undecided: readonly UndecidedPolicy[],
  { claims }: Assumptions,
): readonly string[] => {
  const names = new Set(undecided.map(({ policy }) => policy))
  const isAuthenticated = names.has('jwtAuth') || names.has('mcpAuthentication') || names.has('oidc')
  return [
    ...(isAuthenticated && !claims ? ['jwt'] : []),
    ...(names.has('extAuthz') ? ['extauthz'] : []),
    ...(names.has('extProc') ? ['extproc'] : []),
  ]
}

const mentions = (authorization: AnyPolicies['authorization'], variable: string): boolean =>
  (authorization?.rules ?? []).some((rule) => new RegExp(`\\b${variable}\\b`).test(ruleParts(rule)[1]))

const localGuards = (ai: object & { readonly promptGuard?: LlmGuards }): object =>
  ai.promptGuard ? { ...ai, promptGuard: localOnly(ai.promptGuard) } : ai
