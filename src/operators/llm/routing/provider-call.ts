import { performance } from 'node:perf_hooks'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import type { LlmOutcome } from '../../../model/llm/usage-record.ts'
import { guardRealtime, refuseUnguardableSession } from '../guardrails/realtime-stage.ts'
import { guardReplies } from '../guardrails/reply-stage.ts'
import {
  withRequestGuards,
  refuseUnreadable,
  guardsStreams,
  refuseUnguardableStream,
} from '../guardrails/request-stage.ts'
import { planChat, prepareChat, type Prepared } from '../provider-request/chat-request.ts'
import { type ParsedJsonRequest, isParsedJsonRequest } from '../provider-request/mutated-request.ts'
import { isTokenizedInput, planOther, prepareOther } from '../provider-request/other-request.ts'
import { prepareOpaque } from '../provider-request/passthrough-request.ts'
import { adaptPassthrough } from '../reply/adapt-passthrough.ts'
import { adaptReply } from '../reply/adapt-reply.ts'
import type { ReplyLimits } from '../reply/provider-reply.ts'
import type { AttemptObserver, StreamObserver } from '../reply/stream-observer.ts'
import type { ClientRequest } from '../request/client-request.ts'
import { firstEvent } from './await-first-event.ts'
import type { Option } from './provider-target.ts'
import { recordUsage } from '../usage/record-usage.ts'
import { traceLlmRequest } from '../usage/trace-llm.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { ReplyAttributes } from '../../../protocols/llm/chat/codec.ts'
import { type ChatFormat, isChatFormat, isFormat, type OtherFormat } from '../../../protocols/llm/format.ts'

/** Prepares the calls of a request to providers, and adapts their responses for the client. */
export interface ProviderCalls {
  /** Replaces the client's request with the provider's; a refusal if that is not possible. */
  prepare(x: Exchange, option: Option): PreparedCall | Reply
  /** The observer of an attempt; it records the target that responded. */
  observe(x: Exchange, option: Option, attempt: AttemptTimes): AttemptObserver
}

/** How a provider's response is handled. */
export interface PreparedCall {
  /** The stage that must run before the request is the provider's. */
  first?: First | undefined
  /** Converts the response for the client. */
  readonly adapt: (reply: Reply, watch: StreamObserver) => Reply | Promise<Reply>
  /** For streams: awaits the beginning, and resolves to the problem if that is an error. */
  begin?: ((reply: Reply) => Promise<string | undefined>) | undefined
  /**
   * Time from the beginning of the attempt to the beginning of the response, even if no other target is left;
   * undefined: unlimited.
   */
  beginWithinMs?: number | undefined
}

/** The stage that runs guards and then replaces the client's request with the provider's. */
export interface First {
  /** @param sent Called when the request is the provider's, and about to be sent. */
  stage(sent: () => void): Operator
  /** Why the request was not sent; undefined if it was. */
  readonly refusal: GuardRefusal | undefined
}

/** The client's reply in place of a response. */
export interface GuardRefusal {
  readonly reply: Reply
  /** No other target is tried. */
  readonly isFinal: boolean
}

/** `performance.now()` when an attempt began, or after its guards, when the request was sent. */
export interface AttemptTimes {
  startedAt: number
}

/** The result of one attempt. */
export interface Attempted {
  readonly attributes: ReplyAttributes
  readonly startedAt: number
  /** `performance.now()` when the first token came; undefined if none did, or the response was not a stream. */
  readonly beganAt: number | undefined
  readonly endedAt: number
  readonly outcome: LlmOutcome
  /** The error, if there was one. */
  readonly problem: string | undefined
}

/** Called after each attempt, once its usage is recorded. */
export type OnAttemptEnd = (x: Exchange, option: Option, attempted: Attempted) => void

/** The calls of a request to providers. */
export const providerCalls = (
  request: ClientRequest,
  limits: ReplyLimits,
  onAttemptEnd: OnAttemptEnd,
): ProviderCalls => ({
  prepare: (x, option) => {
    if (x.protocol.llm) x.protocol.llm.provider = option.candidate.provider.telemetryName
    // Losses of an earlier attempt do not count.
    if (x.protocol.llm) x.protocol.llm.dropped = none
    return prepared(x, request, option, limits)
  },
  observe: (x, option, times) => new Watch(x, option, times, onAttemptEnd),
})

const none: readonly string[] = []

const prepared = (
  x: Exchange,
  request: ClientRequest,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const { type } = request
  if (!isParsedJsonRequest(request) || !isFormat(type)) return opaque(x, request, option, limits)
  return isChatFormat(type) ? chat(x, request, type, option, limits) : other(x, request, type, option, limits)
}

const chat = (
  x: Exchange,
  request: ParsedJsonRequest,
  format: ChatFormat,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const { guards, provider } = option.candidate
  const plan = planChat(x, request, format, option)
  if (plan instanceof Reply) return plan
  const { streaming } = request.attributes
  const { upstream } = plan
  if (format === 'converse' && streaming && guards && guardsStreams(guards)) return refuseUnguardableStream()
  const kept = guards?.response.map((guard) => guard.keep?.(x))
  const call = withRequestGuards(x, guards, { format, draft: plan.draft }, () => {
    const before = x.request.body
    const made = prepareChat(x, request, format, option, plan)
    if (made instanceof Reply) return made
    if (x.protocol.llm && made.dropped.length) x.protocol.llm.dropped = made.dropped
    if (x.probe) traceLlmRequest(x, before)
    return { adapt: adapting(x, made, limits) }
  })
  if (call instanceof Reply || (!guards && !streaming)) return call
  const beginWithinMs = streaming ? provider.firstTokenTimeoutMs : undefined
  return {
    ...call,
    adapt: guards && kept ? guardReplies(x, call, { guards, kept, format, limits }) : call.adapt,
    begin: streaming ? beginning(upstream, limits, beginWithinMs !== undefined) : undefined,
    beginWithinMs,
  }
}

/** Outside of `chat`, whose closures would retain the parsed request, which may be long; so is the next one. */
const adapting =
  (x: Exchange, made: Prepared, limits: ReplyLimits): PreparedCall['adapt'] =>
  (reply, watch) =>
    adaptReply({ x, reply, prepared: made, limits, watch })

const beginning =
  (upstream: ChatFormat, { eventBytes }: ReplyLimits, awaitsToken: boolean): PreparedCall['begin'] =>
  (reply) =>
    firstEvent(reply, upstream, eventBytes, awaitsToken)

const other = (
  x: Exchange,
  request: ParsedJsonRequest,
  format: OtherFormat,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const draft = planOther(x, request, format, option)
  if (draft instanceof Reply) return draft
  // A count has no output of a model.
  const guards = format === 'embeddings' || format === 'rerank' ? option.candidate.guards : undefined
  if (format === 'embeddings' && guards?.request.length && isTokenizedInput(request.body.json))
    return refuseUnreadable()
  return withRequestGuards(x, guards, { format, draft }, () => {
    const before = x.request.body
    const made = prepareOther(x, request, format, option, draft, limits)
    if (!(made instanceof Reply) && x.probe) traceLlmRequest(x, before)
    return made
  })
}

const opaque = (
  x: Exchange,
  request: ClientRequest,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const { guards, provider } = option.candidate
  // The provider decides about detection, so that it must be chosen first.
  const type = request.type === 'passthrough' && provider.passthrough === 'detect' ? 'detect' : request.type
  const unguarded =
    guards && (request.type === 'realtime' ? refuseUnguardableSession(x, guards) : refuseUnreadable())
  if (unguarded) return unguarded
  const guard = guards && guardRealtime(x, guards, limits)
  const before = x.request.body
  const refusal = prepareOpaque(x, { ...request, type }, option)
  if (refusal) return refusal
  if (x.probe) traceLlmRequest(x, before)
  return {
    adapt: (reply, watch) => {
      const adapted = adaptPassthrough(reply, type, watch, limits)
      return guard ? guard(adapted) : adapted
    },
  }
}

class Watch implements AttemptObserver {
  readonly #x: Exchange
  readonly #option: Option
  readonly #times: AttemptTimes
  readonly #onAttemptEnd: OnAttemptEnd
  #beganAt: number | undefined = undefined
  #isOver = false
  #afterEnd: (() => void) | undefined = undefined

  constructor(x: Exchange, option: Option, times: AttemptTimes, onAttemptEnd: OnAttemptEnd) {
    this.#x = x
    this.#option = option
    this.#times = times
    this.#onAttemptEnd = onAttemptEnd
  }

  afterEnd(run: () => void): void {
    if (this.#isOver) run()
    else this.#afterEnd = run
  }

  began(): void {
    this.#beganAt = performance.now()
  }

  ended(attributes: ReplyAttributes, outcome: LlmOutcome, problem?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    const endedAt = performance.now()
    const { startedAt } = this.#times
    const { llm } = this.#x.protocol
    if (llm) {
      recordUsage(this.#x, llm, attributes)
      if (this.#beganAt !== undefined) {
        llm.timeToFirstTokenMs = this.#beganAt - startedAt
        const outputTokens = attributes.usage?.outputTokens
        if (outputTokens !== undefined && outputTokens > 1)
          llm.timePerOutputTokenMs = (endedAt - this.#beganAt) / (outputTokens - 1)
      }
    }
    const beganAt = this.#beganAt
    this.#onAttemptEnd(this.#x, this.#option, { attributes, startedAt, beganAt, endedAt, outcome, problem })
    // Deferred: the stream that reported its end has not closed its sink yet.
    if (this.#afterEnd) queueMicrotask(this.#afterEnd)
  }
}
