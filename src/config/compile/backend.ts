import { backendPipeline } from '../../gateway.ts'
import type { BackendPolicies, SimpleBackend } from '../../model/policies.ts'
import { deny } from '../../model/reply.ts'
import type { BackendTarget, Resources } from '../../model/resources.ts'
import { backend } from '../../operators/backend/http.ts'
import { modifyRequestHeaders } from '../../operators/modify-request-headers.ts'
import { modifyResponseHeaders } from '../../operators/modify-response-headers.ts'
import { redirect } from '../../operators/redirect.ts'
import { timeOutAttempt } from '../../operators/time-out.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { mergeBackendPolicies, policiesOfService } from '../merge-policies.ts'
import { a2aStages, asAgent } from './a2a-stages.ts'
import { backendAuthStages } from './backend-auth.ts'
import { authorizeStage } from './authorize-stage.ts'
import { effective } from './effective.ts'
import { extAuthzStages } from './ext-authz-stages.ts'
import { transformStages } from './transform-stages.ts'
import { compileMcpBackend, type McpParts } from './mcp-backend.ts'
import type { Workshop } from './workshop.ts'

/** Makes the place where requests leave the gateway: the policies of a backend, and the call. */
export const compileBackend = (
  target: BackendTarget | SimpleBackend,
  local: BackendPolicies,
  resources: Resources,
  workshop: Workshop,
): Operator => {
  const policies = mergeBackendPolicies(ownPolicies(target, resources), local)
  const mcpBackend = mcpBackendOf(target, resources)
  const upstream = workshop.session.upstream(target, policies)
  const called = upstream && policies.a2a ? asAgent(upstream) : upstream
  const { requestHeaderModifier, responseHeaderModifier, requestRedirect, transformations, backendAuth } =
    policies
  return backendPipeline({
    // Where nothing is called, credentials could only end up in the redirect.
    ...(backendAuth &&
      upstream &&
      !requestRedirect &&
      backendAuthStages(backendAuth, upstream, resources.frontend.http.maxBufferBytes, workshop)),
    authorizeExternally: extAuthzStages(policies.extAuthz, resources.frontend, workshop),
    authorize: authorizeStage(policies.authorization, resources.frontend, workshop),
    transform: transformations && transformStages(transformations, resources.frontend, workshop),
    modifyRequestHeaders: requestHeaderModifier && modifyRequestHeaders(requestHeaderModifier),
    modifyResponseHeaders: responseHeaderModifier && modifyResponseHeaders(responseHeaderModifier),
    redirect: requestRedirect && redirect(requestRedirect),
    a2a: policies.a2a && a2aStages(resources.frontend),
    call: mcpBackend
      ? compileMcpBackend(
          { ...mcpBackend, rules: policies.mcpAuthorization, guardrails: policies.mcpGuardrails },
          workshop,
          (destination, own) =>
            compileBackend(destination, mergeBackendPolicies(towards(policies), own), resources, workshop),
        )
      : called
        ? timed(backend(called, effective('backend', policies)), policies.http?.requestTimeoutMs)
        : onRequest('backend', () => deny(500, 'backend_missing', { message: 'backend does not exist' })),
  })
}

/** The backend as a set of MCP servers, if that is what it is. */
const mcpBackendOf = (
  target: BackendTarget | SimpleBackend,
  resources: Resources,
): Omit<McpParts, 'rules' | 'guardrails'> | undefined => {
  if (target.kind !== 'backend') return undefined
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  return spec?.type === 'mcp' ? { key: target.key, backend: spec } : undefined
}

/** What holds for the way to each of the servers behind a backend, unless they say otherwise. */
const towards = ({ backendTLS, backendAuth, http, tcp }: BackendPolicies): BackendPolicies => ({
  ...(backendTLS && { backendTLS }),
  ...(backendAuth && { backendAuth }),
  ...(http && { http }),
  ...(tcp && { tcp }),
})

/** What holds for a backend wherever it is used. */
export const ownPolicies = (target: BackendTarget | SimpleBackend, resources: Resources): BackendPolicies => {
  if (target.kind === 'service') return policiesOfService(target.name, resources)
  if (target.kind !== 'backend') return {}
  return resources.backends.find(({ key }) => key === target.key)?.policies ?? {}
}

const timed = (call: Operator, limitMs: number | undefined): Operator =>
  limitMs === undefined ? call : timeOutAttempt(limitMs, call)
