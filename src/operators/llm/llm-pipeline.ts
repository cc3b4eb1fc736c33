import { pipe } from 'rxjs'
import type { LlmProvider, LlmProviderKind, LlmProviderSettings } from '../../model/llm/llm-backend.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { providers } from '../../protocols/llm/providers/providers.ts'
import { defaultRoutes, routeTypes } from '../../protocols/llm/route-type.ts'
import { hashText } from '../../upstream/load-balancing/rendezvous-hash.ts'
import { CallCounts } from '../../upstream/load-balancing/call-counts.ts'
import { EndpointHealth } from '../../upstream/load-balancing/outlier-detection.ts'
import { labelled } from '../../upstream/with-labels.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { backend } from '../backend/http.ts'
import type { Option } from './routing/provider-target.ts'
import { recordCost } from './usage/record-cost.ts'
import { loadO200k, tokenCounter } from './usage/count-tokens.ts'
import { finishHeaders } from './provider-request/provider-headers.ts'
import { llm } from './llm-backend.ts'
import type { Guards } from './guardrails/guard.ts'

/** A provider of language models, for pipelines made in code. */
export interface ModelProvider {
  /** Determines paths, headers and formats. */
  readonly kind: LlmProviderKind
  readonly upstream: HttpUpstream
  /** Sent where the provider expects it. Credentials of clients never reach the provider. */
  readonly key?: string
  /** Replaces the model in the client's request. */
  readonly model?: string
  /** Its name in telemetry; the kind by default. */
  readonly name?: string
  /** How long the first token of a stream may take before another provider is tried. */
  readonly firstTokenTimeoutMs?: number
  /** Other settings of its kind: formats of a `custom` provider, region, project, resource. */
  readonly settings?: Partial<LlmProviderSettings>
}

/** Options of {@link llmPipeline}. */
export interface LlmPipelineOptions {
  /** Longest request, and longest response that must be translated. */
  readonly limitBytes?: number
  /**
   * Guards that check requests and responses. Streams are buffered and checked as a whole unless `streaming` is set;
   * `onGuardEnd` is called after each check.
   */
  readonly guards?: Partial<Guards>
}

/**
 * Serves clients of language models, in any supported format, with responses of providers. The last stage of a
 * pipeline, like `backend`. The path determines the type of a request: `/v1/chat/completions`, `/v1/messages`,
 * `…:generateContent` …
 *
 * Each group of providers is tried if those before it fail; the providers of a group are equal. The model and its
 * usage are in `x.protocol.llm` of the exchange.
 *
 * @param groups In order of preference.
 * @example
 * const openai = upstreamOf('https://api.openai.com')
 * const pipeline = rescue(llmPipeline([[{ kind: 'openai', upstream: openai, key }]]), faultReply())
 */
export const llmPipeline = (
  groups: readonly (readonly ModelProvider[])[],
  { limitBytes = LIMIT_BYTES, guards }: LlmPipelineOptions = {},
): Operator => {
  const typeOf = routeTypes(defaultRoutes)
  const guarding = guards && { ...unguarded, ...guards }
  return llm({
    labels: labelsOf('models'),
    typeOf: (path) => typeOf(path) ?? 'completions',
    choice: groups.map((group) => group.map((provider) => optionOf(provider, guarding))),
    requestLimitBytes: limitBytes,
    replyLimits: { replyBytes: limitBytes, eventBytes: limitBytes },
    onAttemptEnd: recordCost,
    countTokens: tokenCounter(loadO200k),
    createdS: Math.floor(performance.timeOrigin / 1000),
    random: Math.random,
  })
}

/** Room for images. */
const LIMIT_BYTES = 16 * 1024 * 1024

const labelsOf = (name: string): BackendLabels => ({ name, type: 'ai', protocol: 'llm' })

const unguarded: Guards = {
  request: [],
  response: [],
  streaming: { mode: 'Buffer' },
  onGuardEnd: () => undefined,
}

const optionOf = (given: ModelProvider, guards: Guards | undefined): Option => {
  const { kind, upstream, key, model, name = kind, firstTokenTimeoutMs, settings } = given
  const service = providers[kind]
  const provider: LlmProvider = {
    ...{ name, kind, telemetryName: name, tokenize: false, usual: {}, policies: {} },
    ...(model === undefined ? {} : { model }),
    ...(firstTokenTimeoutMs === undefined ? {} : { firstTokenTimeoutMs }),
    settings: { hostOverridden: false, ...settings },
    mutation: {
      ...{ overrides: {}, transformation: {}, defaults: {}, modelAliases: [], finalTransformation: {} },
    },
  }
  return {
    candidate: {
      provider,
      service,
      pipeline: pipe(
        setApiKey(key),
        finishHeaders(service.finishHeaders),
        backend(labelled(upstream, labelsOf(name))),
      ),
      health: new EndpointHealth(),
      counts: new CallCounts(),
      seed: hashText(name),
      eviction: { consecutiveFailures: 3 },
      usesUsualEviction: true,
      unhealthy: undefined,
      mutate: undefined,
      finalTransformation: [],
      guards,
      passesCredentials: false,
    },
    model: undefined,
  }
}

/** Sets the credential where most providers expect it; the headers are adapted to the others afterwards. */
const setApiKey = (key: string | undefined): Operator =>
  onRequest('model-key', (x) => {
    if (key === undefined) return
    x.policy.addSecret(key)
    x.request.headers.set('authorization', `Bearer ${key}`)
  })
