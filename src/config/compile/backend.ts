import { backendPipeline, type BackendStages } from '../../gateway.ts'
import type { BackendPolicies } from '../../model/resources/policies.ts'
import { deny } from '../../model/exchange/reply.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { Backend, BackendTarget } from '../../model/resources/resources.ts'
import { a2aStages } from '../../operators/a2a/stage.ts'
import { backendAuthStages } from '../../operators/backend-auth/stage/backend-auth.ts'
import { setTarget } from '../../operators/backend/fixed-target.ts'
import { backend } from '../../operators/backend/http.ts'
import { redactCredentials } from '../../operators/llm/redact-credentials/redact-credentials.ts'
import { inferenceRoutingStage } from '../../operators/inference-routing/stage.ts'
import { credentialLocations } from '../../operators/llm/redact-credentials/stage.ts'
import type { ProviderUpstream, ProviderAddress } from '../../operators/llm/stage/provider-target.ts'
import type { AssembledMcp } from '../../operators/mcp/assemble.ts'
import { parseMcpMessage } from '../../operators/mcp/endpoint/parse-message.ts'
import type { ResolveTarget } from '../../operators/mcp/federation/resolve-target.ts'
import { mcpReader } from '../../operators/mcp/stage/mcp-attribute-use.ts'
import { backendRequestTimeout } from '../../operators/timeout/timeout.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { labelled } from '../../upstream/with-labels.ts'
import { resolvedLlmBackend } from '../merge-llm-policies.ts'
import { handedTo, mergeBackendPolicies } from '../merge-policies.ts'
import type { CompileContext } from './compile-context.ts'
import { effective } from './effective-policies.ts'
import { lazyBackends } from './lazy-backends.ts'
import { ownPolicies } from './own-policies.ts'
import { policyStages } from './policy-stages.ts'

/** What requests may be sent to: a backend of a route, or the address of a model provider. */
type Destination = BackendTarget | ProviderAddress

/** A backend that can be called. */
export interface CompiledBackend {
  /** The policies of the backend, and the call. */
  readonly pipeline: Operator
  /** Resolves names of MCP items; undefined for backends that are no MCP servers. */
  readonly resolveTarget: ResolveTarget | undefined
  /** What the pipeline calls; undefined if it calls several upstreams, or none. */
  readonly upstream: HttpUpstream | undefined
  /** The policies that apply, merged. */
  readonly policies: BackendPolicies
}

/**
 * Compiles a backend: its policies, and the call.
 *
 * @param local policies of the reference to the backend; they win over its own
 * @param provider set if the target is a model provider
 */
export const compileBackend = (
  target: Destination,
  local: BackendPolicies,
  { insertIntoBackend = (stages) => stages, ...context }: CompileContext,
  provider?: ProviderUpstream,
): CompiledBackend => {
  const { lookup, resources } = context
  const policies = mergeBackendPolicies(ownPolicies(target, lookup), local)
  const { spec, sectionPolicies } = namedBackend(target, lookup) ?? {}
  const upstream = upstreamOf(target, spec, policies, context)
  const mcp = mcpOf(target, spec, policies, sectionPolicies, context)
  // Backends behind an MCP backend never parse messages: this one has.
  const reader = mcpReader(context, mcp !== undefined)
  const stages: BackendStages = {
    ...policyStages(policies, reader.context),
    ...authStages(upstream, policies, context),
    a2a: policies.a2a && a2aStages(policies.a2a, context),
    pickEndpoint:
      policies.inferenceRouting && upstream?.subset
        ? inferenceRoutingStage(policies.inferenceRouting, upstream, context)
        : undefined,
    providerHeaders: provider?.finishHeaders ?? fixedTarget(spec),
    redactCredentials: provider && upstream && redactCredentials(credentialLocations(policies.backendAuth)),
    call:
      nothingToPick(upstream, spec, policies) ??
      mcp?.call ??
      llmCall(target, spec, policies, sectionPolicies, context) ??
      (upstream ? upstreamCall(upstream, policies, provider) : missingBackend()),
  }
  const limitBytes = resources.frontend.http.maxBufferBytes
  const parsed =
    mcp && reader.readsMcp() ? parseMcpMessage({ resolvers: [mcp.resolveTarget], limitBytes }) : undefined
  return {
    pipeline: backendPipeline(insertIntoBackend({ ...stages, parseMcpMessage: parsed })),
    resolveTarget: mcp?.resolveTarget,
    upstream,
    policies,
  }
}

/** The stage of a backend that does not exist. */
export const missingBackend = (): Operator =>
  onRequest('backend', () => deny(500, 'backend_missing', { message: 'backend does not exist' }))

/** The same for a route of the kind GRPCRoute, whose clients have to get UNAVAILABLE then, and not UNKNOWN. */
export const missingGrpcBackend = (): Operator =>
  onRequest('backend', () =>
    deny(500, 'no_valid_backends', { message: 'backend does not exist', reason: 'NoHealthyBackend' }),
  )

const namedBackend = (target: Destination, lookup: ResourceLookup): Backend | undefined =>
  target.kind === 'backend' ? lookup.backend(target.key) : undefined

const upstreamOf = (
  target: Destination,
  spec: Backend['spec'] | undefined,
  policies: BackendPolicies,
  context: CompileContext,
): HttpUpstream | undefined => {
  if (target.kind === 'upstream') return target.upstream
  if (target.kind === 'backend' && spec?.type === 'internal')
    return context.internal({ name: target.key, type: 'internal', protocol: 'http' })
  return context.session.upstream(target, policies)
}

const authStages = (
  upstream: HttpUpstream | undefined,
  { backendAuth, requestRedirect }: BackendPolicies,
  context: CompileContext,
): Partial<BackendStages> | undefined => {
  // A redirect would send the credentials to the client.
  if (!backendAuth || !upstream || requestRedirect) return undefined
  return backendAuthStages(backendAuth, upstream, context)
}

const mcpOf = (
  target: Destination,
  spec: Backend['spec'] | undefined,
  policies: BackendPolicies,
  sections: Backend['sectionPolicies'],
  context: CompileContext,
): AssembledMcp | undefined => {
  if (target.kind !== 'backend' || spec?.type !== 'mcp') return undefined
  const { mcpAuthorization: rules, mcpGuardrails: guardrails } = policies
  const outer = handedTo('targets', policies)
  return lazyBackends
    .mcp()
    .compileMcpBackend(
      { key: target.key, backend: spec, rules, guardrails },
      context,
      (server, own, name) => {
        const attached = sections && Object.hasOwn(sections, name) ? sections[name] : undefined
        const of = attached ? mergeBackendPolicies(outer, attached) : outer
        return compileBackend(server, mergeBackendPolicies(of, own), context).pipeline
      },
    )
}

const llmCall = (
  target: Destination,
  spec: Backend['spec'] | undefined,
  policies: BackendPolicies,
  sections: Backend['sectionPolicies'],
  context: CompileContext,
): Operator | undefined => {
  if (target.kind !== 'backend' || spec?.type !== 'llm') return undefined
  const resolved = resolvedLlmBackend(spec, policies, sections)
  return lazyBackends
    .llm()
    .compileLlmBackend(
      { key: target.key, backend: resolved },
      context,
      (address, own, provider) => compileBackend(address, own, context, provider).pipeline,
    )
}

/**
 * A picker chooses among endpoints: requests to a backend without any would go where it has not chosen. Undefined where
 * there is something to choose, or no picker.
 */
const nothingToPick = (
  upstream: HttpUpstream | undefined,
  spec: Backend['spec'] | undefined,
  { inferenceRouting }: BackendPolicies,
): Operator | undefined =>
  inferenceRouting && (upstream ? !upstream.subset : spec)
    ? onRequest('backend', () =>
        deny(503, 'endpoint_picker_failed', {
          message:
            'endpoint picker failed: inferenceRouting needs a backend with endpoints: a service or a host',
          reason: 'ExtProc',
        }),
      )
    : undefined

const upstreamCall = (
  upstream: HttpUpstream,
  policies: BackendPolicies,
  provider: ProviderUpstream | undefined,
): Operator => {
  const call = backend(withLabels(upstream, policies, provider), effective('backend', policies))
  const limitMs = policies.http?.requestTimeoutMs
  return limitMs === undefined ? call : backendRequestTimeout(limitMs, call)
}

/** The same upstream with the labels of what it is called for. */
const withLabels = (
  upstream: HttpUpstream,
  { a2a }: BackendPolicies,
  provider: ProviderUpstream | undefined,
): HttpUpstream => {
  if (provider) return labelled(upstream, provider.labels)
  return a2a ? labelled(upstream, { ...upstream.labels, protocol: 'a2a' }) : upstream
}

/** Sets the one path that the backend serves, if it has one. */
const fixedTarget = (spec: Backend['spec'] | undefined): Operator | undefined => {
  if (spec?.type === 'internal') return spec.fixed && setTarget(spec.fixed)
  return spec?.type === 'agentCore' ? setTarget(spec) : undefined
}
