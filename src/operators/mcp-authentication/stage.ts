import type { McpAuthentication } from './schema.ts'
import type { RoutePolicies } from '../../model/resources/policies.ts'
import type { Route } from '../../model/resources/resources.ts'
import { jwtAuth } from '../jwt-auth/jwt-auth.ts'
import { challenge, insufficientScope } from './www-authenticate.ts'
import { metadataEndpoints } from './metadata-endpoints.ts'
import { findResource } from './find-resource.ts'
import { resourceLocations } from './resource-locations.ts'
import type { Phases } from '../phases.ts'
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
  context: CompileContext,
): Partial<Phases> | undefined => {
  const request = jwtAuth && jwtStage(jwtAuth, context)
  if (!mcpAuthentication) return request && { request }
  const stages = mcpAuthenticationStages(mcpAuthentication, context)
  return { ...stages, request: sequence([request, stages.request]) }
}

const mcpAuthenticationStages = (policy: McpAuthentication, context: CompileContext): Phases => {
  const resource = protectedResource(policy, context)
  return {
    request: jwtAuth({
      mode: policy.mode,
      source: credentialSource(policy.location, context),
      verifier: tokenVerifier([policy.issuer], context),
      bufferLimitBytes: context.resources.frontend.http.maxBufferBytes,
      unauthenticated: challenge(resource),
    }),
    reply: insufficientScope(resource),
  }
}

/** Compiles the stage of a listener that serves the metadata of its MCP routes; undefined if there are none. */
export const mcpDiscoveryStage = (
  routes: readonly Route[],
  context: CompileContext,
): Operator | undefined => {
  if (!routes.some(mayServeMetadata)) return undefined
  const find = findResource(
    resourceLocations(routes, context.lookup, (policy) => protectedResource(policy, context)),
  )
  return find && metadataEndpoints(find)
}

/** Whether a route may have protected resources behind it. */
export const mayServeMetadata = ({ policies, backends }: Route): boolean =>
  policies.mcpAuthentication !== undefined || backends.some(({ target }) => target.kind === 'routeGroup')

const protectedResource = (
  { issuer, provider, resourceMetadata, clientId, clientSecret }: McpAuthentication,
  { session, resources }: CompileContext,
): ProtectedResource => {
  const { forwarded } = resources.frontend.http
  const { metadata, registration } = issuerEndpoints(issuer.issuer, provider)
  const known = session.keep(`issuer-metadata ${metadata.join(' ')}`, () => new IssuerMetadata(metadata))
  const relay = session.keep('form-relay', () => new IssuerClient())
  return {
    issuer: issuer.issuer,
    audience: issuer.audiences?.[0],
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
