import { type Observable, mergeMap, from, of } from 'rxjs'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { LlmCall } from '../../model/llm/llm-call.ts'
import type { LlmRouteType } from '../../model/llm/llm-backend.ts'
import { deny, Reply } from '../../model/exchange/reply.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import { perExchange } from '../../pipeline/per-exchange.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { modelItemPath } from '../../protocols/llm/models/model-in-path.ts'
import type { ReplyLimits } from './reply/provider-reply.ts'
import { providerCalls, type OnAttemptEnd } from './routing/provider-call.ts'
import { callWithFailover } from './routing/failover.ts'
import type { OptionGroups } from './routing/provider-target.ts'
import type { CountTokens } from './usage/count-tokens.ts'
import { estimateCount } from './usage/estimate-tokens.ts'
import { refuseUnreadable } from './guardrails/request-stage.ts'
import type { ClientRequest } from './request/client-request.ts'
import { parseRequest } from './request/parse-request.ts'
import { errorFormatFor } from './local-reply-format.ts'
import { refuseRequest } from './refusals.ts'
import type { ModelRouter } from './routing/model-router.ts'
import { listModels, showModelEntry } from './routing/list-models.ts'
import { pricedOptions } from './routing/require-price.ts'
import { clientKeys } from './request/client-credentials.ts'
import { type LlmReads, capturePrompt } from './usage/capture-content.ts'
import { reservingTokens } from './usage/reserve-tokens.ts'

/** Language models behind one address. */
export interface LlmOptions {
  readonly labels: BackendLabels
  /** The type of a request, by its path. */
  readonly typeOf: (path: string) => LlmRouteType
  /** The providers: chosen by the model, or always the same. */
  readonly choice: ModelRouter | OptionGroups
  /** Longest body of a request that must be parsed. */
  readonly requestLimitBytes: number
  readonly replyLimits: ReplyLimits
  /** Called at the end of each attempt. */
  readonly onAttemptEnd: OnAttemptEnd
  /** Counts tokens before a provider is called, or if none can count them. */
  readonly countTokens: CountTokens
  /** What is captured of conversations for telemetry; undefined: nothing. */
  readonly reads?: LlmReads
  /** Creation time of models in seconds since the epoch: the start of the process. */
  readonly createdS: number
  /** 0 ≤ number < 1. */
  readonly random: () => number
}

/**
 * Serves clients of language models with responses of providers, in whatever format either of them uses. The last
 * stage of a route, like `backend`.
 *
 * The request is parsed once; then providers are tried in order of preference until one responds, each in the format
 * that it supports best. The reply is in the client's format: byte for byte if both use the same.
 */
export const llm = (options: LlmOptions): Operator => {
  const { labels, choice, typeOf, requestLimitBytes, replyLimits, onAttemptEnd, random } = options
  const router = 'choose' in choice ? choice : undefined
  const parseOptions = { limitBytes: requestLimitBytes, byModel: router !== undefined }

  const serve = (x: Exchange): Observable<Exchange> => {
    x.upstream.backend = labels
    const call = (x.protocol.llm ??= new LlmCall(typeOf(x.request.path)))
    x.protocol.localReplyFormat ??= errorFormatFor(call.type, x.request)
    const model = router && requestedEntry(x, call.type)
    if (router && model !== undefined) return replied(x, showModelEntry(x, router, model, options.createdS))
    if (call.type === 'models')
      return replied(
        x,
        router && !modelItemPath(x.request.path) ? listModels(x, router, options.createdS) : notImplemented(),
      )
    // Prices depend on the model as well.
    const byModel = parseOptions.byModel || x.snapshot.resources.unknownPrice === 'deny'
    const parsed = parseRequest(
      x,
      call.type,
      byModel === parseOptions.byModel ? parseOptions : { ...parseOptions, byModel },
    )
    if (!(parsed instanceof Promise)) return route(x, call, parsed)
    return from(parsed).pipe(mergeMap((it) => route(x, call, it)))
  }

  const route = (x: Exchange, call: LlmCall, parsed: ClientRequest | Reply): Observable<Exchange> => {
    if (parsed instanceof Reply) return replied(x, parsed)
    const { attributes } = parsed
    call.userModel = attributes.model
    call.requestModel = attributes.model
    if (attributes.model !== undefined) (x.policy.metadata ??= {}).agentgateway_user_model = attributes.model
    call.streaming = attributes.streaming
    call.paramsFrom(attributes)
    call.request = parsed.body?.json
    if (options.reads?.prompt) {
      capturePrompt(call, parsed)
      // The provider's request replaces them: a log that shows the prompt could not find them any more.
      for (const key of clientKeys(x.request)) x.policy.addSecret(key)
    }
    call.keepsReply = options.reads?.reply ?? false
    const groups = router ? chooseProviders(router, x, parsed) : choice
    if (groups instanceof Reply) return replied(x, groups)
    return callProviders(x, parsed, groups as OptionGroups)
  }

  const callProviders = (x: Exchange, parsed: ClientRequest, all: OptionGroups): Observable<Exchange> => {
    const groups = pricedOptions(x, parsed, all)
    if (groups instanceof Reply) return replied(x, groups)
    const estimated = estimateCount(x, parsed, groups, options.countTokens)
    if (estimated) return estimated
    const calls = providerCalls(parsed, replyLimits, onAttemptEnd)
    return reservingTokens(x, parsed, groups, options.countTokens, () =>
      callWithFailover(x, { groups, calls, random }),
    )
  }

  return perExchange((x) => (x.reply ? undefined : () => serve(x)))
}

const chooseProviders = (
  router: ModelRouter,
  x: Exchange,
  { type, attributes: { model } }: ClientRequest,
): OptionGroups | Reply => {
  if (model !== undefined) return router.choose(x, model)
  // Files and batches belong to no model: they need a provider that serves all of them.
  const all = type === 'passthrough' || type === 'detect' ? router.forAll(x) : undefined
  // A file may be for any of the models.
  if (all && router.models.some(({ option }) => option.candidate.guards)) return refuseUnreadable()
  if (all) return all
  // A GET without a body at an unknown path is a typing error, or a browser that requests an icon.
  if (type === 'passthrough' && x.request.body.lengthBytes === 0) return noSuchPath()
  return refuseRequest(400, 'missing_model', "LLM request body is missing string field 'model'")
}

/** The model whose entry in the list of models is requested. */
const requestedEntry = ({ request: { method, path } }: Exchange, type: LlmRouteType): string | undefined =>
  (type === 'models' || type === 'passthrough') && (method === 'GET' || method === 'HEAD')
    ? modelItemPath(path)
    : undefined

const noSuchPath = (): Reply =>
  deny(404, 'route_not_found', {
    message:
      'route not found: no route takes this path, and language models are asked at others, such as ' +
      '/v1/chat/completions, /v1/messages, /v1/responses and /v1/models',
  })

const replied = (x: Exchange, reply: Reply): Observable<Exchange> => {
  x.reply = reply
  return of(x)
}

const notImplemented = (): Reply =>
  refuseRequest(501, 'llm_route_not_implemented', "Route 'Models' not implemented")
