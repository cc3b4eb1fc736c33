import { backendPipeline } from '../../gateway.ts'
import type { BackendPolicies } from '../../model/policies.ts'
import { deny } from '../../model/reply.ts'
import type { BackendTarget, Resources } from '../../model/resources.ts'
import { backend } from '../../operators/backend/http.ts'
import { modifyRequestHeaders } from '../../operators/modify-request-headers.ts'
import { modifyResponseHeaders } from '../../operators/modify-response-headers.ts'
import { understandMessage } from '../../operators/backend/mcp/doors/understand-message.ts'
import type { Whose } from '../../operators/backend/mcp/federation/whose.ts'
import { redirect } from '../../operators/redirect.ts'
import { timeOutAttempt } from '../../operators/time-out.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { labelled } from '../../upstream/labelled.ts'
import { serviceNamed } from '../../upstream/service-places.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { settledLlmBackend } from '../merge-llm-policy.ts'
import { mergeBackendPolicies } from '../merge-policies.ts'
import { a2aStages } from './a2a-stages.ts'
import { backendAuthStages } from './backend-auth.ts'
import { authorizeStage } from './authorize-stage.ts'
import { effective } from './effective.ts'
import { extAuthzStages } from './ext-authz-stages.ts'
import { transformStages } from './transform-stages.ts'
import { compileLlmBackend, type LlmParts } from './llm-backend.ts'
import type { ProviderCall, ProviderPlace } from './llm-candidate.ts'
import { compileMcpBackend, type McpParts } from './mcp-backend.ts'
import { mcpReader } from './mcp-reader.ts'
import type { Workshop } from './workshop.ts'

/**
 * Makes the place where requests leave the gateway: the policies of a backend, and the call.
 *
 * @param meet Is told how to find out what MCP messages are about; undefined if this backend is no MCP server.
 */
export const compileBackend = (
  target: BackendTarget | ProviderPlace,
  local: BackendPolicies,
  resources: Resources,
  workshop: Workshop,
  meet?: (whose: Whose | undefined) => void,
  provider?: ProviderCall,
): Operator => {
  const policies = mergeBackendPolicies(ownPolicies(target, resources), local)
  const mcpBackend = mcpBackendOf(target, resources)
  const llmBackend = llmBackendOf(target, resources)
  const upstream = target.kind === 'upstream' ? target.upstream : workshop.session.upstream(target, policies)
  const called = upstream && calledBy(upstream, policies, provider)
  const { requestHeaderModifier, responseHeaderModifier, requestRedirect, transformations, backendAuth } =
    policies
  const mcp =
    mcpBackend &&
    compileMcpBackend(
      { ...mcpBackend, rules: policies.mcpAuthorization, guardrails: policies.mcpGuardrails },
      workshop,
      (destination, own) =>
        compileBackend(destination, mergeBackendPolicies(towards(policies), own), resources, workshop),
    )
  meet?.(mcp?.whose)
  // From here on: what is behind the backend has understood the message in any case.
  const reader = mcpReader(workshop)
  const stages = {
    // Where nothing is called, credentials could only end up in the redirect.
    ...(backendAuth &&
      upstream &&
      !requestRedirect &&
      backendAuthStages(backendAuth, upstream, resources.frontend.http.maxBufferBytes, workshop)),
    authorizeExternally: extAuthzStages(policies.extAuthz, resources.frontend, reader.workshop),
    authorize: authorizeStage(policies.authorization, resources.frontend, reader.workshop),
    transform: transformations && transformStages(transformations, resources.frontend, reader.workshop),
    modifyRequestHeaders: requestHeaderModifier && modifyRequestHeaders(requestHeaderModifier),
    modifyResponseHeaders: responseHeaderModifier && modifyResponseHeaders(responseHeaderModifier),
    redirect: requestRedirect && redirect(requestRedirect),
    a2a: policies.a2a && a2aStages(resources.frontend),
    finishHeaders: provider?.finishHeaders,
    call: mcp
      ? mcp.call
      : llmBackend
        ? compileLlmBackend(
            { ...llmBackend, backend: settledLlmBackend(llmBackend.backend, policies) },
            resources,
            workshop,
            (place, own, call) => compileBackend(place, own, resources, workshop, undefined, call),
          )
        : called
          ? timed(backend(called, effective('backend', policies)), policies.http?.requestTimeoutMs)
          : onRequest('backend', () => deny(500, 'backend_missing', { message: 'backend does not exist' })),
  }
  const limitBytes = resources.frontend.http.maxBufferBytes
  return backendPipeline({
    ...stages,
    understand: mcp && reader.readsMcp() ? understandMessage({ whose: [mcp.whose], limitBytes }) : undefined,
  })
}

/** The same upstream by the labels that hold for what it is called for. */
const calledBy = (
  upstream: HttpUpstream,
  { a2a }: BackendPolicies,
  provider: ProviderCall | undefined,
): HttpUpstream => {
  if (provider) return labelled(upstream, provider.labels)
  return a2a ? labelled(upstream, { ...upstream.labels, protocol: 'a2a' }) : upstream
}

/** The backend as a set of MCP servers, if that is what it is. */
const mcpBackendOf = (
  target: BackendTarget | ProviderPlace,
  resources: Resources,
): Omit<McpParts, 'rules' | 'guardrails'> | undefined => {
  if (target.kind !== 'backend') return undefined
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  return spec?.type === 'mcp' ? { key: target.key, backend: spec } : undefined
}

/** The backend as language models, if that is what it is. */
const llmBackendOf = (target: BackendTarget | ProviderPlace, resources: Resources): LlmParts | undefined => {
  if (target.kind !== 'backend') return undefined
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  return spec?.type === 'llm' ? { key: target.key, backend: spec } : undefined
}

/** What holds for the way to each of the servers behind a backend, unless they say otherwise. */
const towards = ({
  backendTLS,
  backendAuth,
  backendTunnel,
  http,
  tcp,
}: BackendPolicies): BackendPolicies => ({
  ...(backendTLS && { backendTLS }),
  ...(backendAuth && { backendAuth }),
  ...(backendTunnel && { backendTunnel }),
  ...(http && { http }),
  ...(tcp && { tcp }),
})

/** What holds for a backend wherever it is used. */
export const ownPolicies = (target: BackendTarget | ProviderPlace, resources: Resources): BackendPolicies => {
  if (target.kind === 'service') return serviceNamed(target.name, resources)?.policies ?? {}
  if (target.kind !== 'backend') return {}
  return resources.backends.find(({ key }) => key === target.key)?.policies ?? {}
}

const timed = (call: Operator, limitMs: number | undefined): Operator =>
  limitMs === undefined ? call : timeOutAttempt(limitMs, call)
