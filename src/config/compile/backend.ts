import { backendPipeline, type BackendStages } from '../../gateway.ts'
import type { BackendPolicies } from '../../model/resources/policies.ts'
import { deny } from '../../model/exchange/reply.ts'
import type { BackendTarget, Resources } from '../../model/resources/resources.ts'
import { backend } from '../../operators/backend/http.ts'
import { parseMcpMessage } from '../../operators/mcp/endpoint/parse-message.ts'
import type { ResolveTarget } from '../../operators/mcp/federation/resolve-target.ts'
import { redactCredentials } from '../../operators/llm/redact-credentials/redact-credentials.ts'
import { setTarget } from '../../operators/backend/fixed-target.ts'
import { backendRequestTimeout } from '../../operators/timeout/timeout.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { labelled } from '../../upstream/with-labels.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { resolvedLlmBackend } from '../merge-llm-policies.ts'
import { handedTo, mergeBackendPolicies } from '../merge-policies.ts'
import { a2aStages } from '../../operators/a2a/stage.ts'
import { backendAuthStages } from '../../operators/backend-auth/stage/backend-auth.ts'
import { effective } from './effective-policies.ts'
import { ownPolicies } from './own-policies.ts'
import { compileLlmBackend, type LlmParts } from '../../operators/llm/stage/llm-backend.ts'
import type { ProviderUpstream, ProviderAddress } from '../../operators/llm/stage/provider-target.ts'
import { compileMcpBackend, type McpParts } from '../../operators/mcp/stage/mcp-backend.ts'
import { mcpReader } from '../../operators/mcp/stage/mcp-attribute-use.ts'
import { credentialLocations } from '../../operators/llm/redact-credentials/stage.ts'
import type { CompileContext } from './compile-context.ts'
import { policyStages } from './policy-stages.ts'

/**
 * Makes the place where requests leave the gateway: the policies of a backend, and the call.
 *
 * @param meet Is told how to find out what MCP messages are about; undefined if this backend is no MCP server.
 * @param reached Is told of the upstream that is called, if there is one.
 */
export const compileBackend = (
  target: BackendTarget | ProviderAddress,
  local: BackendPolicies,
  resources: Resources,
  { insertIntoBackend = (own) => own, ...context }: CompileContext,
  meet?: (whose: ResolveTarget | undefined) => void,
  provider?: ProviderUpstream,
  reached?: (upstream: HttpUpstream, policies: BackendPolicies) => void,
): Operator => {
  const policies = mergeBackendPolicies(ownPolicies(target, resources), local)
  const mcpBackend = mcpBackendOf(target, resources)
  const llmBackend = llmBackendOf(target, resources)
  const upstream =
    target.kind === 'upstream'
      ? target.upstream
      : (internalOf(target, resources, context) ?? context.session.upstream(target, policies))
  if (upstream) reached?.(upstream, policies)
  const called = upstream && calledBy(upstream, policies, provider)
  const { backendAuth } = policies
  const mcp =
    mcpBackend &&
    compileMcpBackend(
      { ...mcpBackend, rules: policies.mcpAuthorization, guardrails: policies.mcpGuardrails },
      context,
      (destination, own) =>
        compileBackend(
          destination,
          mergeBackendPolicies(handedTo('targets', policies), own),
          resources,
          context,
        ),
    )
  meet?.(mcp?.resolveTarget)
  // From here on: what is behind the backend has understood the message in any case.
  const reader = mcpReader(context, mcp !== undefined)
  const stages = {
    ...policyStages(policies, reader.context),
    // Where nothing is called, credentials could only end up in the redirect.
    ...(backendAuth &&
      upstream &&
      !policies.requestRedirect &&
      backendAuthStages(backendAuth, upstream, resources.frontend.http.maxBufferBytes, context)),
    a2a: policies.a2a && a2aStages(resources.frontend),
    providerHeaders: provider?.finishHeaders ?? fixedTarget(target, resources),
    redactCredentials: provider && upstream && redactCredentials(credentialLocations(backendAuth)),
    call: mcp
      ? mcp.call
      : llmBackend
        ? compileLlmBackend(
            { ...llmBackend, backend: resolvedLlmBackend(llmBackend.backend, policies) },
            resources,
            context,
            (place, own, call) => compileBackend(place, own, resources, context, undefined, call),
          )
        : called
          ? timed(backend(called, effective('backend', policies)), policies.http?.requestTimeoutMs)
          : onRequest('backend', () => deny(500, 'backend_missing', { message: 'backend does not exist' })),
  } satisfies BackendStages
  const limitBytes = resources.frontend.http.maxBufferBytes
  return backendPipeline(
    insertIntoBackend({
      ...stages,
      parseMcpMessage:
        mcp && reader.readsMcp()
          ? parseMcpMessage({ targetResolvers: [mcp.resolveTarget], limitBytes })
          : undefined,
    }),
  )
}

/** The same upstream by the labels that hold for what it is called for. */
const calledBy = (
  upstream: HttpUpstream,
  { a2a }: BackendPolicies,
  provider: ProviderUpstream | undefined,
): HttpUpstream => {
  if (provider) return labelled(upstream, provider.labels)
  return a2a ? labelled(upstream, { ...upstream.labels, protocol: 'a2a' }) : upstream
}

/** The backend as a set of MCP servers, if that is what it is. */
const mcpBackendOf = (
  target: BackendTarget | ProviderAddress,
  resources: Resources,
): Omit<McpParts, 'rules' | 'guardrails'> | undefined => {
  if (target.kind !== 'backend') return undefined
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  return spec?.type === 'mcp' ? { key: target.key, backend: spec } : undefined
}

/** Has every request go to the one path that the backend is about, if it has one. */
const fixedTarget = (target: BackendTarget | ProviderAddress, resources: Resources): Operator | undefined => {
  if (target.kind !== 'backend') return undefined
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  if (spec?.type === 'internal') return spec.fixed && setTarget(spec.fixed)
  return spec?.type === 'agentCore' ? setTarget(spec) : undefined
}

/** The backend as the admin interface of this process, if that is what it is. */
const internalOf = (
  target: BackendTarget | ProviderAddress,
  resources: Resources,
  context: CompileContext,
): HttpUpstream | undefined => {
  if (target.kind !== 'backend') return undefined
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  if (spec?.type !== 'internal') return undefined
  return context.internal({ name: target.key, type: 'internal', protocol: 'http' })
}

/** The backend as language models, if that is what it is. */
const llmBackendOf = (
  target: BackendTarget | ProviderAddress,
  resources: Resources,
): LlmParts | undefined => {
  if (target.kind !== 'backend') return undefined
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  return spec?.type === 'llm' ? { key: target.key, backend: spec } : undefined
}

const timed = (call: Operator, limitMs: number | undefined): Operator =>
  limitMs === undefined ? call : backendRequestTimeout(limitMs, call)
