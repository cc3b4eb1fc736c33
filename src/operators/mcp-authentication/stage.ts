import type { Sides } from '../../gateway.ts'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { McpAuthentication } from '../../model/mcp-authentication.ts'
import type { RoutePolicies } from '../../model/policies.ts'
import type { Resources, Route } from '../../model/resources.ts'
import { jwt } from '../../operators/auth/jwt.ts'
import { challenge, insufficientScope } from '../../operators/auth/mcp/challenge.ts'
import { discover } from '../../operators/auth/mcp/discover.ts'
import { findResource, type Place } from '../../operators/auth/mcp/find-resource.ts'
import type { ProtectedResource } from '../../operators/auth/mcp/protected-resource.ts'
import { sequence } from '../../pipeline/sequence.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { issuerPlaces } from '../../protocols/oauth/identity-provider.ts'
import { FormRelay } from '../../upstream/form-relay.ts'
import { IssuerMetadata } from '../../upstream/issuer-metadata.ts'
import { credentialSource } from './credential-source.ts'
import { jwtStage, tokenVerifier } from './jwt-stages.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages of a route that wants tokens: of any kind, then as MCP has them. */
export const tokenStages = (
  { jwtAuth, mcpAuthentication }: RoutePolicies,
  frontend: FrontendPolicies,
  workshop: Workshop,
): Sides | undefined => {
  const request = jwtAuth && jwtStage(jwtAuth, frontend, workshop)
  if (!mcpAuthentication) return request && { request }
  const stages = mcpAuthenticationStages(mcpAuthentication, frontend, workshop)
  return { ...stages, request: sequence([request, stages.request]) }
}

const mcpAuthenticationStages = (
  policy: McpAuthentication,
  frontend: FrontendPolicies,
  workshop: Workshop,
): Sides => {
  const resource = protectedResource(policy, frontend, workshop)
  return {
    request: jwt({
      mode: policy.mode,
      source: credentialSource(policy.location, workshop),
      verifier: tokenVerifier([policy.issuer], workshop),
      bufferLimitBytes: frontend.http.maxBufferBytes,
      unauthenticated: challenge(resource),
    }),
    reply: insufficientScope(resource),
  }
}

/** Makes the stage of a listener that tells clients about the routes which want such tokens; none if there are none. */
export const mcpDiscoveryStage = (
  routes: readonly Route[],
  resources: Resources,
  workshop: Workshop,
): Operator | undefined => {
  const find = findResource(places(routes, resources, workshop, []))
  return find && discover(find)
}

const places = (
  routes: readonly Route[],
  resources: Resources,
  workshop: Workshop,
  within: readonly string[],
): readonly Place[] =>
  routes.map(({ hostnames, matches, policies: { mcpAuthentication }, backends }) => ({
    hostnames,
    matches: matches.map(({ path }) => ({ path })),
    resource: mcpAuthentication && protectedResource(mcpAuthentication, resources.frontend, workshop),
    groups: backends.flatMap(({ target }) => {
      if (target.kind !== 'routeGroup' || within.includes(target.name)) return []
      const group = resources.routeGroups.find(({ name }) => name === target.name)
      return group ? [places(group.routes, resources, workshop, [...within, target.name])] : []
    }),
  }))

const protectedResource = (
  { issuer, provider, resourceMetadata, clientId, clientSecret }: McpAuthentication,
  { http: { forwarded } }: FrontendPolicies,
  { session }: Workshop,
): ProtectedResource => {
  const { metadata, registration } = issuerPlaces(issuer.issuer, provider)
  const known = session.keep(`issuer-metadata ${metadata.join(' ')}`, () => new IssuerMetadata(metadata))
  const relay = session.keep('form-relay', () => new FormRelay())
  return {
    issuer: issuer.issuer,
    audience: issuer.audiences?.[0] ?? '',
    provider,
    metadata: resourceMetadata,
    clientId,
    clientSecret: clientSecret?.secret,
    registration,
    issuerMetadata: () => known.get(),
    post: (form) => relay.post(form),
    forwarded: forwarded !== undefined,
    proxied: (forwarded?.trustedHops ?? 0) > 0,
  }
}
