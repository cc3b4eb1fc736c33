import type { Exchange } from '../model/exchange.ts'
import type { Reply } from '../model/reply.ts'
import { outlast } from '../pipeline/outlast.ts'
import { onReply, onRequest, type Verdict } from '../pipeline/stage.ts'
import type { GrpcService } from '../upstream/grpc.ts'
import { bodiesReadBy, eitherHold, holding, isBodiless } from './body/hold.ts'
import { Conversation } from './ext-proc/conversation.ts'
import { Interruption, type Line } from './ext-proc/line.ts'
import { replyHead, requestHead } from './ext-proc/messages.ts'
import type { ExchangeModes } from './ext-proc/modes.ts'
import { ProcessorFault, processorRefusal } from './ext-proc/processor-fault.ts'
import { showMessage } from './ext-proc/show-message.ts'
import {
  initialMetadata,
  told,
  toldByNamespace,
  type ToldNamespaces,
  type ToldValues,
} from './ext-proc/told-values.ts'
import type { Phases } from './phases.ts'
import { applied, skipped } from './policy-note.ts'
import { replyParts } from './transform/reply.ts'
import { requestParts } from './transform/request.ts'

/** Who processes, and what is shown to it. */
export interface ProcessExternallyOptions {
  readonly service: GrpcService
  /** How long the processor may take when it is its turn; undefined may take for ever. */
  readonly patienceMs: number | undefined
  /** Does without a processor that is not there, unless it has been given a body already. */
  readonly failsOpen: boolean
  readonly modes: ExchangeModes
  readonly allowsOverride: boolean
  readonly metadataContext: ToldNamespaces
  readonly requestAttributes: ToldValues
  readonly responseAttributes: ToldValues
  /** Fields that the processor sets: the client's own go no further. Lower-case. */
  readonly resultHeaders: readonly string[]
  /** Longest body that is shown in one piece, or read by expressions. */
  readonly bufferLimitBytes: number
  /** How long an exchange may take from its admission; whoever bounds its other half cannot see what is shown here. */
  readonly limitMs: number | undefined
  /** What watchers of the trace know the stage as. */
  readonly tracedAs: 'gateway ext proc' | 'ext proc'
}

/**
 * Lets a service look at requests and at the answers of upstreams, and change both: heads, bodies, trailers. It may also
 * answer itself, at any time until the head of another answer is on its way.
 *
 * One stream serves an exchange from its request to the last byte of its answer, and no longer. What the gateway answers
 * itself is not shown. If the service fails, the answer is 500 `ext_proc failed: …`, or the connection is cut where an
 * answer is half-way; `failsOpen` does without a service that is not there, as long as it has not been given a body.
 *
 * Belongs after everything that decides who may pass, and before whatever reads what the service may change.
 */
export const processExternally = (options: ProcessExternallyOptions): Phases => {
  const { metadataContext, resultHeaders, bufferLimitBytes, tracedAs } = options
  const conversations = new WeakMap<Exchange, Conversation>()

  const settle = (x: Exchange, conversation: Conversation, line: Line, why: unknown): Verdict => {
    if (why instanceof Interruption) return answered(x, conversation, why.reply)
    conversation.leave()
    if (!(why instanceof ProcessorFault)) throw why
    const { request } = conversation
    const isOpen = options.failsOpen && why.isOfTransport && !line.handedOver && !request.isFlowing
    const cause = why.cause instanceof Error ? `: ${why.cause.message}` : ''
    x.probe?.note(applied('ext_proc', why.message + cause))
    return isOpen ? undefined : processorRefusal(why)
  }

  const showRequest = async (x: Exchange, conversation: Conversation): Promise<Verdict> => {
    const { request } = x
    const showing = showMessage(
      {
        x,
        direction: 'request',
        message: request,
        hasBody: request.body.lengthBytes !== 0,
        mayHaveTrailers: request.hasTrailers,
        parts: requestParts,
        head: (endOfStream) => requestHead(x, endOfStream),
        limitBytes: bufferLimitBytes,
      },
      conversation,
    )
    // By now the processor has been shown them, and could not change them yet.
    for (const name of resultHeaders) request.headers.delete(name)
    try {
      await showing
      x.probe?.note(applied('ext_proc', 'processed the request'))
      x.probe?.snapshot(tracedAs)
      return undefined
    } catch (why) {
      return settle(x, conversation, conversation.request, why)
    }
  }

  const showReply = async (x: Exchange, reply: Reply, conversation: Conversation): Promise<Verdict> => {
    const isWithout = isBodiless(x, reply) || reply.body.lengthBytes === 0
    conversation.upload?.giveWay()
    try {
      await showMessage(
        {
          x,
          direction: 'reply',
          message: reply,
          hasBody: !isWithout,
          mayHaveTrailers: reply.body.lengthBytes === undefined,
          parts: replyParts,
          head: (endOfStream) => replyHead(reply, endOfStream),
          limitBytes: bufferLimitBytes,
        },
        conversation,
      )
      x.probe?.note(applied('ext_proc', 'processed the response'))
      x.probe?.snapshot(tracedAs)
      return undefined
    } catch (why) {
      const verdict = settle(x, conversation, conversation.reply, why)
      if (verdict) reply.body.drop()
      return verdict
    }
  }

  const begin = (x: Exchange): Verdict | Promise<Verdict> => {
    const conversation = new Conversation(x, {
      ...options,
      isDispensable: options.failsOpen,
      initial: initialMetadata(x, metadataContext),
      context: toldByNamespace(x, metadataContext),
    })
    conversations.set(x, conversation)
    conversation.attributes = attributesOf(x, options.requestAttributes)
    return showRequest(x, conversation)
  }

  const goOn = (x: Exchange): Verdict | Promise<Verdict> => {
    const conversation = conversations.get(x)
    const { reply } = x
    if (!conversation || !reply) return undefined
    const { interruption, obstacle, fault, request } = conversation
    const instead = interruption
      ? answered(x, conversation, interruption)
      : // A body that the processor keeps is lost, and whatever else has come of it is no answer.
        fault && !request.isDone && (request.handedOver || obstacle)
        ? processorRefusal(fault)
        : reply.reason === 'Upstream' && obstacle
          ? processorRefusal(obstacle)
          : undefined
    if (instead) {
      reply.body.drop()
      return instead
    }
    if (reply.reason !== 'Upstream' || conversation.isClosed) {
      x.probe?.note(skipped('ext_proc', 'the response is not shown'))
      conversation.reply.finish()
      return undefined
    }
    conversation.context = toldByNamespace(x, metadataContext)
    conversation.attributes = attributesOf(x, options.responseAttributes)
    const { limitMs } = options
    if (limitMs !== undefined) conversation.limit(limitMs - (performance.now() - x.request.startedAt))
    return showReply(x, reply, conversation)
  }

  const context = metadataContext.flatMap(([, values]) => values)
  const onWayIn = bodiesReadBy(expressionsOf([...context, ...options.requestAttributes]))
  const onWayOut = bodiesReadBy(expressionsOf([...context, ...options.responseAttributes]))
  // What is told of the request together with the reply has to be kept before the request is sent.
  const heldIn = { request: eitherHold(onWayIn.request, onWayOut.request), reply: false }
  const heldOut = { request: false, reply: onWayOut.reply }
  return {
    request: onRequest('ext-proc', holding(heldIn, bufferLimitBytes, begin)),
    reply: outlast(onReply('ext-proc-reply', holding(heldOut, bufferLimitBytes, goOn)), (x) =>
      conversations.get(x),
    ),
  }
}

const answered = (x: Exchange, conversation: Conversation, reply: Reply): Reply => {
  conversation.interruption = undefined
  x.probe?.note(applied('ext_proc', `the processor answered with status ${reply.status}`))
  return reply
}

const attributesOf = (x: Exchange, values: ToldValues) => (values.length ? told(x, values) : undefined)

const expressionsOf = (values: ToldValues) => values.map(([, value]) => value)
