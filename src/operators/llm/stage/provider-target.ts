import type { LlmProvider } from '../../../model/llm/llm-backend.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../../../model/resources/policies.ts'
import type { BackendLabels } from '../../../model/resources/snapshot.ts'
import type { ProviderTarget, FieldExpression } from '../routing/provider-target.ts'
import { finishHeaders } from '../provider-request/provider-headers.ts'
import { fieldMutation } from '../provider-request/mutate-body.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import { providers } from '../../../protocols/llm/providers/providers.ts'
import { taggedFormats } from '../../../protocols/llm/providers/tagged-formats.ts'
import { CallCounts } from '../../../upstream/load-balancing/call-counts.ts'
import { hashText } from '../../../upstream/load-balancing/rendezvous-hash.ts'
import { type Eviction, EndpointHealth } from '../../../upstream/load-balancing/outlier-detection.ts'
import { MockLlm } from '../../../upstream/mock-llm/mock-llm.ts'
import type { HttpUpstream } from '../../../upstream/upstream.ts'
import { compileGuards } from '../guardrails/stage/guardrails.ts'
import { signedForBedrock } from '../../backend-auth/stage/bedrock-signing.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** The address of a provider: a destination, or an upstream in this process. */
export type ProviderAddress = SimpleBackend | { readonly kind: 'upstream'; readonly upstream: HttpUpstream }

/** What is specific to calls of providers. */
export interface ProviderUpstream {
  /** The labels of logs and metrics, whatever the address. */
  readonly labels: BackendLabels
  /** The stage that runs after the credentials are set. */
  readonly finishHeaders: Operator | undefined
}

/** Makes the pipeline to an address with its policies. */
export type ReachProvider = (
  address: ProviderAddress,
  policies: BackendPolicies,
  call: ProviderUpstream,
) => Operator

/** Compiles what requests to one provider need. Its health outlasts the configuration. */
export const compileCandidate = (
  backendKey: string,
  provider: LlmProvider,
  context: CompileContext,
  reach: ReachProvider,
): ProviderTarget => {
  const { expression, resources, session } = context
  const known = providers[provider.kind]
  const service =
    provider.kind === 'copilot' ? taggedFormats(known, resources.modelCatalog, provider.telemetryName) : known
  const { health: healthPolicy, ...policies } = provider.policies
  const { mutation, name } = provider
  const labels: BackendLabels = { name, type: 'ai', protocol: 'llm' }
  const fields = (written: Readonly<Record<string, Cel>>): FieldExpression[] =>
    Object.entries(written).map(([name, text]) => [name, expression(text)])
  const key = `llm health ${backendKey} ${name}`
  const kept = session.keep(key, () => new KeptHealth(name, session.healthChanged))
  session.report(backendKey, kept)
  return {
    provider,
    service,
    pipeline: reach(addressOf(provider, labels), signedForBedrock(provider, policies), {
      labels,
      finishHeaders: service.finishHeaders && finishHeaders(service.finishHeaders),
    }),
    health: kept.health,
    counts: kept.counts,
    seed: hashText(key),
    eviction: healthPolicy?.eviction ?? usualEviction,
    usesUsualEviction: !healthPolicy?.eviction,
    unhealthy:
      healthPolicy?.unhealthyExpression === undefined
        ? undefined
        : expression(healthPolicy.unhealthyExpression),
    mutate: fieldMutation(mutation, fields(mutation.transformation)),
    finalTransformation: fields(mutation.finalTransformation),
    guards: compileGuards(provider.guards, context),
    passesCredentials: policies.backendAuth !== undefined && 'passthrough' in policies.backendAuth,
  }
}

/** Three consecutive failures. A provider that sends Retry-After is evicted at the first. */
const usualEviction: Eviction = { consecutiveFailures: 3 }

/** The health of a provider: it outlasts configurations. */
class KeptHealth {
  readonly name: string
  readonly health: EndpointHealth
  readonly counts = new CallCounts()

  constructor(name: string, onChange: (kept: KeptHealth, now: number) => void) {
    this.name = name
    this.health = new EndpointHealth({
      now: performance.now(),
      changed: (now) => {
        onChange(this, now)
      },
    })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return Promise.resolve()
  }
}

const addressOf = (provider: LlmProvider, labels: BackendLabels): ProviderAddress => {
  const { destination, kind, settings, name } = provider
  if (destination) return destination
  if (kind === 'mock') return { kind: 'upstream', upstream: new MockLlm(labels) }
  const address = providers[kind].address(settings, undefined)
  if (!address) throw new TypeError(`nothing says where ${name} is; the checks should have refused it`)
  return { kind: 'host', target: { host: address.host, port: address.port } }
}
