import { pipe } from 'rxjs'
import type { LlmProvider, LlmProviderKind, LlmProviderSettings } from '../model/llm.ts'
import type { BackendLabels } from '../model/snapshot.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { providers } from '../protocols/llm/providers/providers.ts'
import { defaultRoutes, routeTypes } from '../protocols/llm/route-type.ts'
import { hashText } from '../upstream/hash.ts'
import { Health } from '../upstream/health.ts'
import { labelled } from '../upstream/labelled.ts'
import type { HttpUpstream } from '../upstream/upstream.ts'
import { backend } from './backend/http.ts'
import type { Option } from './backend/llm/candidate.ts'
import { charge } from './backend/llm/charge.ts'
import { tokenCounter } from './backend/llm/count-tokens.ts'
import { finishHeaders } from './backend/llm/finish-headers.ts'
import { llm } from './backend/llm/llm.ts'
import { loadO200k } from './backend/llm/o200k.ts'
import type { Guards } from './guard/guards.ts'

/** Who serves language models, for pipelines made in code. */
export interface ModelProvider {
  /** Which paths, headers and formats it has. */
  readonly kind: LlmProviderKind
  readonly upstream: HttpUpstream
  /** Put where the provider wants it. Credentials of clients never reach it. */
  readonly key?: string
  /** Asked for in place of what the client asks for. */
  readonly model?: string
  /** As telemetry calls it; by default its kind. */
  readonly name?: string
  /** How long the first token of a stream may take before another provider is asked. */
  readonly firstTokenTimeoutMs?: number
  /** What else its kind needs: formats of a `custom` one, region, project, resource. */
  readonly settings?: Partial<LlmProviderSettings>
}

/** What may be set about asking models. */
export interface AskModelsOptions {
  /** Longest request, and longest answer that has to be translated. */
  readonly limitBytes?: number
  /**
   * Who looks at what is asked, and at what is answered. Answers that are streams are held and checked as a whole, unless
   * `streaming` says otherwise; `settle` is told of each check.
   */
  readonly guards?: Partial<Guards>
}

/**
 * Answers clients of language models, whichever format they write, with what providers say. The last stage of a pipeline,
 * as `backend` is. What a request is, its path tells: `/v1/chat/completions`, `/v1/messages`, `…:generateContent` …
 *
 * Each group of providers is asked when those before it fail; those of one group are equals. What was asked and used is
 * in `x.llm` of the exchange.
 *
 * @param groups In order of preference.
 * @example
 * const openai = upstreamOf('https://api.openai.com')
 * const pipeline = rescue(askModels([[{ kind: 'openai', upstream: openai, key }]]), faultReply())
 */
export const askModels = (
  groups: readonly (readonly ModelProvider[])[],
  { limitBytes = LIMIT_BYTES, guards }: AskModelsOptions = {},
): Operator => {
  const typeOf = routeTypes(defaultRoutes)
  const guarding = guards && { ...unguarded, ...guards }
  return llm({
    labels: labelsOf('models'),
    typeOf: (path) => typeOf(path) ?? 'completions',
    choice: groups.map((group) => group.map((provider) => optionOf(provider, guarding))),
    requestLimitBytes: limitBytes,
    replyLimits: { replyBytes: limitBytes, eventBytes: limitBytes },
    settle: charge,
    countTokens: tokenCounter(loadO200k),
    createdS: Math.floor(performance.timeOrigin / 1000),
    random: Math.random,
  })
}

/** Answers with pictures in them are longer than most. */
const LIMIT_BYTES = 16 * 1024 * 1024

const labelsOf = (name: string): BackendLabels => ({ name, type: 'ai', protocol: 'llm' })

const unguarded: Guards = {
  request: [],
  response: [],
  streaming: { mode: 'Buffer' },
  settle: () => undefined,
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
        giveKey(key),
        finishHeaders(service.finishHeaders),
        backend(labelled(upstream, labelsOf(name))),
      ),
      health: new Health(),
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

/** Where most providers want it; what the others need is done to the headers afterwards. */
const giveKey = (key: string | undefined): Operator =>
  onRequest('model-key', (x) => {
    if (key === undefined) return
    x.conceal(key)
    x.request.headers.set('authorization', `Bearer ${key}`)
  })
