import { type Observable, mergeMap, from, of } from 'rxjs'
import type { Exchange } from '../../../model/exchange.ts'
import { LlmCall } from '../../../model/llm-call.ts'
import type { LlmRouteType } from '../../../model/llm.ts'
import { deny, Reply } from '../../../model/reply.ts'
import type { BackendLabels } from '../../../model/snapshot.ts'
import { each } from '../../../pipeline/each.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { ReplyLimits } from './reply-limits.ts'
import { askFor, type Settle } from './ask-for.ts'
import { attempts } from './attempts.ts'
import type { OptionGroups } from './candidate.ts'
import type { CountTokens } from './count-tokens.ts'
import { estimateCount } from './estimate-count.ts'
import { guardedUnseen } from './guarded-first.ts'
import { hear } from './hear.ts'
import type { Heard } from './heard.ts'
import { tongueFor } from './llm-tongue.ts'
import { refuseRequest } from './llm-refusal.ts'
import type { ModelRouter } from './model-router.ts'
import { listModels } from './models-list.ts'
import { pricedOptions } from './priced-options.ts'
import { type LlmReads, rememberPrompt } from './remember.ts'
import { reservingTokens } from './reserve-tokens.ts'

/** Language models behind one address. */
export interface LlmOptions {
  readonly labels: BackendLabels
  /** What a request is, by its path. */
  readonly typeOf: (path: string) => LlmRouteType
  /** Who answers: found by the model, or always the same. */
  readonly choice: ModelRouter | OptionGroups
  /** Longest body of a request that has to be understood. */
  readonly requestLimitBytes: number
  readonly replyLimits: ReplyLimits
  /** Told of each attempt that is over. */
  readonly settle: Settle
  /** Where tokens have to be counted before anybody is asked, or nobody can be. */
  readonly countTokens: CountTokens
  /** What is kept of conversations, for those who read it; undefined: nothing. */
  readonly reads?: LlmReads
  /** Seconds since the epoch when models came into being: when the process did. */
  readonly createdS: number
  /** 0 ≤ number < 1. */
  readonly random: () => number
}

/**
 * Answers clients of language models with what a model of a provider says, whatever format either of them writes. The
 * last stage of a route, as `backend` is.
 *
 * The request is read once; then providers are asked in order of preference until one answers, each in the format that it
 * understands best. What comes back goes to the client in its own: as the very bytes where both speak the same.
 */
export const llm = (options: LlmOptions): Operator => {
  const { labels, choice, typeOf, requestLimitBytes, replyLimits, settle, random } = options
  const router = 'choose' in choice ? choice : undefined
  const hearing = { limitBytes: requestLimitBytes, byModel: router !== undefined }

  const answer = (x: Exchange): Observable<Exchange> => {
    x.backend = labels
    const call = (x.llm ??= new LlmCall(typeOf(x.request.path)))
    x.tongue ??= tongueFor(call.type, x.request)
    if (call.type === 'models')
      return answered(x, router ? listModels(x, router, options.createdS) : notImplemented())
    // Prices are those of the model as well.
    const byModel = hearing.byModel || x.snapshot.resources.unknownPrice === 'deny'
    const heard = hear(x, call.type, byModel === hearing.byModel ? hearing : { ...hearing, byModel })
    if (!(heard instanceof Promise)) return understood(x, call, heard)
    return from(heard).pipe(mergeMap((it) => understood(x, call, it)))
  }

  const understood = (x: Exchange, call: LlmCall, heard: Heard | Reply): Observable<Exchange> => {
    if (heard instanceof Reply) return answered(x, heard)
    const { facts } = heard
    call.userModel = facts.model
    call.requestModel = facts.model
    if (facts.model !== undefined) (x.metadata ??= {}).agentgateway_user_model = facts.model
    call.streaming = facts.streaming
    call.paramsFrom(facts)
    call.request = heard.body?.json
    if (options.reads?.prompt) rememberPrompt(call, heard)
    call.keepsReply = options.reads?.reply ?? false
    const groups = router ? chosen(router, x, heard) : choice
    if (groups instanceof Reply) return answered(x, groups)
    return asked(x, heard, groups as OptionGroups)
  }

  const asked = (x: Exchange, heard: Heard, all: OptionGroups): Observable<Exchange> => {
    const groups = pricedOptions(x, heard, all)
    if (groups instanceof Reply) return answered(x, groups)
    const estimated = estimateCount(x, heard, groups, options.countTokens)
    if (estimated) return estimated
    const ask = askFor(heard, replyLimits, settle)
    return reservingTokens(x, heard, groups, options.countTokens, () => attempts(x, { groups, ask, random }))
  }

  return each((x) => (x.reply ? undefined : () => answer(x)))
}

const chosen = (
  router: ModelRouter,
  x: Exchange,
  { type, facts: { model } }: Heard,
): OptionGroups | Reply => {
  if (model !== undefined) return router.choose(x, model)
  // Files and batches belong to no model: they are for whoever serves all of them.
  const all = type === 'passthrough' || type === 'detect' ? router.forAll(x) : undefined
  // What is in a file may be for any of them.
  if (all && router.models.some(({ option }) => option.candidate.guards)) return guardedUnseen()
  if (all) return all
  // No model is asked without a word at a path of no format: that is a typing error, or a browser that wants an icon.
  if (type === 'passthrough' && x.request.body.lengthBytes === 0) return noSuchPath()
  return refuseRequest(400, 'missing_model', "LLM request body is missing string field 'model'")
}

const noSuchPath = (): Reply =>
  deny(404, 'route_not_found', {
    message:
      'route not found: no route takes this path, and language models are asked at others, such as ' +
      '/v1/chat/completions, /v1/messages, /v1/responses and /v1/models',
  })

const answered = (x: Exchange, reply: Reply): Observable<Exchange> => {
  x.reply = reply
  return of(x)
}

const notImplemented = (): Reply =>
  refuseRequest(501, 'llm_route_not_implemented', "Route 'Models' not implemented")
