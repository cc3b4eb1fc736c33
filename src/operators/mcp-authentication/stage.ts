import type { Sides } from '../../gateway.ts'
import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { McpAuthentication } from './schema.ts'
import type { RoutePolicies } from '../../model/resources/policies.ts'
import type { Resources, Route } from '../../model/resources/resources.ts'
import { jwtAuth } from '../jwt-auth/jwt-auth.ts'
import { challenge, insufficientScope } from './www-authenticate.ts'
import { metadataEndpoints } from './metadata-endpoints.ts'
import { findResource, type ResourceLocation } from './find-resource.ts'
import type { ProtectedResource } from './protected-resource.ts'
import { sequence } from '../../pipeline/sequence.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { issuerEndpoints } from '../../protocols/oauth/provider-quirks.ts'
import { IssuerClient } from '../../upstream/jwks/issuer-client.ts'
import { IssuerMetadata } from '../../upstream/jwks/issuer-metadata.ts'
import { credentialSource } from '../../config/compile/credential-sources.ts'
import { jwtStage, tokenVerifier } from '../jwt-auth/stage.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles the stages of a route that requires tokens: generic ones, then those of MCP. */
export const tokenStages = (
  { jwtAuth, mcpAuthentication }: RoutePolicies,
  frontend: FrontendPolicies,
  context: CompileContext,
): Sides | undefined => {
  const request = jwtAuth && jwtStage(jwtAuth, frontend, context)
  if (!mcpAuthentication) return request && { request }
  const stages = mcpAuthenticationStages(mcpAuthentication, frontend, context)
  return { ...stages, request: sequence([request, stages.request]) }
}

const mcpAuthenticationStages = (
  policy: McpAuthentication,
  frontend: FrontendPolicies,
  context: CompileContext,
): Sides => {
  const resource = protectedResource(policy, frontend, context)
  return {
    request: jwtAuth({
      mode: policy.mode,
      source: credentialSource(policy.location, context),
      verifier: tokenVerifier([policy.issuer], context),
      bufferLimitBytes: frontend.http.maxBufferBytes,
      unauthenticated: challenge(resource),
    }),
    reply: insufficientScope(resource),
  }
}

/** Compiles the stage of a listener that serves the metadata of its MCP routes; undefined if there are none. */
export const mcpDiscoveryStage = (
  routes: readonly Route[],
  resources: Resources,
  context: CompileContext,
): Operator | undefined => {
  const find = findResource(locations(routes, resources, context, []))
  return find && metadataEndpoints(find)
}

const locations = (
  routes: readonly Route[],
  resources: Resources,
  context: CompileContext,
  within: readonly string[],
): readonly ResourceLocation[] =>
  routes.map(({ hostnames, matches, policies: { mcpAuthentication }, backends }) => ({
    hostnames,
    matches: matches.map(({ path }) => ({ path })),
    resource: mcpAuthentication && protectedResource(mcpAuthentication, resources.frontend, context),
    groups: backends.flatMap(({ target }) => {
      if (target.kind !== 'routeGroup' || within.includes(target.name)) return []
      const group = resources.routeGroups.find(({ name }) => name === target.name)
      return group ? [locations(group.routes, resources, context, [...within, target.name])] : []
    }),
  }))

const protectedResource = (
  { issuer, provider, resourceMetadata, clientId, clientSecret }: McpAuthentication,
  { http: { forwarded } }: FrontendPolicies,
  { session }: CompileContext,
): ProtectedResource => {
  const { metadata, registration } = issuerEndpoints(issuer.issuer, provider)
  const known = session.keep(`issuer-metadata ${metadata.join(' ')}`, () => new IssuerMetadata(metadata))
  const relay = session.keep('form-relay', () => new IssuerClient())
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
