import type { LlmProvider } from '../../model/llm.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../../model/policies.ts'
import type { BackendLabels } from '../../model/snapshot.ts'
import type { Candidate, FieldExpression } from '../../operators/backend/llm/candidate.ts'
import { finishHeaders } from '../../operators/backend/llm/finish-headers.ts'
import { fieldMutation } from '../../operators/backend/llm/mutate-body.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { providers } from '../../protocols/llm/providers/providers.ts'
import { taggedFormats } from '../../protocols/llm/providers/tagged-formats.ts'
import { hashText } from '../../upstream/hash.ts'
import { type Eviction, Health } from '../../upstream/health.ts'
import { MockLlm } from '../../upstream/mock-llm/mock-llm.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { compileGuards } from './llm-guards.ts'
import { signedForBedrock } from './signed-for-bedrock.ts'
import type { Workshop } from './workshop.ts'

/** Where requests to a provider leave the gateway: a destination, or something in this process. */
export type ProviderPlace = SimpleBackend | { readonly kind: 'upstream'; readonly upstream: HttpUpstream }

/** What is peculiar to calls of providers. */
export interface ProviderCall {
  /** Of whom logs and metrics speak, wherever it is. */
  readonly labels: BackendLabels
  /** The stage that comes in when the credentials are there. */
  readonly finishHeaders: Operator | undefined
}

/** Makes the pipeline of a place with its policies. */
export type ReachProvider = (place: ProviderPlace, policies: BackendPolicies, call: ProviderCall) => Operator

/** Makes what requests to one provider need. How it has done outlasts the configuration. */
export const compileCandidate = (
  backendKey: string,
  provider: LlmProvider,
  workshop: Workshop,
  reach: ReachProvider,
): Candidate => {
  const { expression, resources, session } = workshop
  const known = providers[provider.kind]
  const service =
    provider.kind === 'copilot' ? taggedFormats(known, resources.modelCatalog, provider.telemetryName) : known
  const { health: healthPolicy, ...policies } = provider.policies
  const { mutation, name } = provider
  const labels: BackendLabels = { name, type: 'ai', protocol: 'llm' }
  const fields = (written: Readonly<Record<string, Cel>>): FieldExpression[] =>
    Object.entries(written).map(([name, text]) => [name, expression(text)])
  const key = `llm health ${backendKey} ${name}`
  return {
    provider,
    service,
    pipeline: reach(placeOf(provider, labels), signedForBedrock(provider, policies), {
      labels,
      finishHeaders: service.finishHeaders && finishHeaders(service.finishHeaders),
    }),
    health: session.keep(key, () => new KeptHealth()).health,
    seed: hashText(key),
    eviction: healthPolicy?.eviction ?? usualEviction,
    usesUsualEviction: !healthPolicy?.eviction,
    unhealthy:
      healthPolicy?.unhealthyExpression === undefined
        ? undefined
        : expression(healthPolicy.unhealthyExpression),
    mutate: fieldMutation(mutation, fields(mutation.transformation)),
    finalTransformation: fields(mutation.finalTransformation),
    guards: compileGuards(provider.guards, workshop),
    passesCredentials: policies.backendAuth !== undefined && 'passthrough' in policies.backendAuth,
  }
}

/** Some failures in a row. Whoever asks to be left alone is, from the first time on. */
const usualEviction: Eviction = { consecutiveFailures: 3 }

class KeptHealth {
  readonly health = new Health()

  close(): Promise<void> {
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return Promise.resolve()
  }
}

const placeOf = (provider: LlmProvider, labels: BackendLabels): ProviderPlace => {
  const { destination, kind, settings, name } = provider
  if (destination) return destination
  if (kind === 'mock') return { kind: 'upstream', upstream: new MockLlm(labels) }
  const address = providers[kind].address(settings, undefined)
  if (!address) throw new TypeError(`nothing says where ${name} is; the checks should have refused it`)
  return { kind: 'host', target: { host: address.host, port: address.port } }
}
