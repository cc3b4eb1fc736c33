import type { JsonObject } from '@bufbuild/protobuf'
import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import { isBuffered, isLonger, setBuffered } from '../body/buffer-body.ts'
import { readAhead } from '../body/read-prefix.ts'
import { processMessage } from '../ext-proc/process-message.ts'
import { processReply } from '../ext-proc/process-reply.ts'
import { requestHead } from '../ext-proc/processing-messages.ts'
import type { ExchangeModes } from '../ext-proc/processing-mode.ts'
import { ProcessorFault } from '../ext-proc/processor-fault.ts'
import { Interruption } from '../ext-proc/processor-state.ts'
import { ProcessorStream } from '../ext-proc/processor-stream.ts'
import { applied } from '../trace-policy.ts'
import { requestParts } from '../transformations/request.ts'
import { DESTINATION, pickedEndpoints, SERVED, SUBSET } from './picked-endpoints.ts'

/** The picker, and what happens without it. */
export interface EndpointPickOptions {
  readonly service: GrpcService
  /** How long the picker may take for a response once it has everything; undefined sets no limit. */
  readonly messageTimeoutMs: number | undefined
  /** Leaves the choice to the gateway if the picker cannot be reached, or chooses nothing. */
  readonly failsOpen: boolean
  /** The endpoints worth picking, where they are fewer than all. */
  readonly subset: ((x: Exchange) => readonly string[] | undefined) | undefined
  /** Longest body that is kept to be sent without the picker, in bytes. */
  readonly bufferLimitBytes: number
}

/** One attempt of an exchange and the stream to the picker that chooses its endpoint. */
export class EndpointPick {
  readonly stream: ProcessorStream
  readonly #x: Exchange
  readonly #options: EndpointPickOptions
  #metadata: JsonObject | undefined = undefined

  constructor(x: Exchange, options: EndpointPickOptions) {
    this.#x = x
    this.#options = options
    // The protocol reserves these names: what a client sends under them is neither a choice nor a hint.
    for (const name of [DESTINATION, SUBSET, SERVED]) x.request.headers.delete(name)
    x.upstream.picked = undefined
    const subset = options.subset?.(x)
    this.stream = new ProcessorStream(x, {
      service: options.service,
      messageTimeoutMs: options.messageTimeoutMs,
      modes: everything,
      // Whether the exchange may go on without the picker is decided here, by what it has chosen.
      failsOpen: true,
      allowsOverride: false,
      initial: [],
      context: subset ? { 'envoy.lb.subset_hint': { [SUBSET]: [...subset] } } : {},
      // Pickers repeat the headers that they have received, without an action: Envoy sets them.
      replacesFields: true,
      onMetadata: (metadata) => {
        this.#metadata = { ...this.#metadata, ...metadata }
      },
    })
  }

  /** Has the picker choose. Its body may still flow through the picker afterwards. */
  async choose(): Promise<Verdict> {
    const { request } = this.#x
    const kept = await this.#keep()
    try {
      await processMessage(
        {
          x: this.#x,
          direction: 'request',
          message: request,
          hasBody: request.body.lengthBytes !== 0,
          mayHaveTrailers: request.hasTrailers,
          parts: requestParts,
          head: (endOfStream) => requestHead(this.#x, endOfStream),
          limitBytes: this.#options.bufferLimitBytes,
        },
        this.stream,
      )
    } catch (why) {
      return this.#failed(why, kept)
    }
    return this.#accept()
  }

  /** Shows the picker the response and the endpoint that it came from. */
  serve(): Verdict | Promise<Verdict> {
    const x = this.#x
    const { reply } = x
    const { stream } = this
    if (!reply) return undefined
    if (stream.interruption) {
      reply.body.drop()
      return this.#interruption(stream.interruption)
    }
    if (reply.reason !== 'Upstream' || stream.isClosed) {
      stream.reply.finish()
      return undefined
    }
    stream.context = { 'envoy.lb': { [SERVED]: x.upstream.endpoint ?? '' } }
    const { bufferLimitBytes } = this.#options
    return processReply(x, reply, stream, { failsOpen: true, bufferLimitBytes, tracedAs: 'endpoint picker' })
  }

  /** The reply to a fault that the picker has caused, while the request body flowed through it. */
  replyTo(fault: unknown): Reply {
    const { interruption, fault: ownFault } = this.stream
    if (interruption) return this.#interruption(interruption)
    if (ownFault) return this.#refusal(ownFault.message)
    throw fault
  }

  /** Buffers a body that may have to be sent without the picker. */
  async #keep(): Promise<KeptRequest | undefined> {
    const { request } = this.#x
    const { failsOpen, bufferLimitBytes } = this.#options
    if (!failsOpen || isLonger(request.body, bufferLimitBytes)) return undefined
    if (!isBuffered(request.body)) {
      const ahead = await readAhead(request.body, bufferLimitBytes)
      if ('longer' in ahead) {
        request.body = ahead.longer
        return undefined
      }
      setBuffered(request, ahead.whole)
    }
    return { headers: request.headers.clone(), body: request.body }
  }

  #failed(why: unknown, kept: KeptRequest | undefined): Verdict {
    if (why instanceof Interruption) return this.#interruption(why.reply)
    this.stream.release()
    if (!isOfPicker(why)) throw why
    const cause = why.cause instanceof Error ? `: ${why.cause.message}` : ''
    this.#trace(why.message + cause)
    // Without its body, the request cannot go on.
    const isLost = this.stream.request.handedOver && !kept
    const isAbsent = !(why instanceof ProcessorFault) || why.isOfTransport
    if (!this.#options.failsOpen || !isAbsent || isLost) return this.#refusal(why.message)
    if (kept) Object.assign(this.#x.request, kept)
    return undefined
  }

  #accept(): Verdict {
    const { headers } = this.#x.request
    const picked = pickedEndpoints(headers, this.#metadata)
    headers.delete(DESTINATION)
    if (!picked) {
      this.#trace('chose no endpoint')
      return this.#options.failsOpen ? undefined : this.#refusal('it chose no endpoint')
    }
    if ('invalid' in picked) {
      this.#trace(`chose ${JSON.stringify(picked.invalid)}`)
      return this.#refusal('its choice is not a list of addresses')
    }
    this.#trace(`chose ${picked.endpoints.join(', ')}`)
    this.#x.upstream.picked = picked.endpoints
    return undefined
  }

  #interruption(reply: Reply): Reply {
    this.stream.interruption = undefined
    this.#trace(`answered with status ${String(reply.status)}`)
    return reply
  }

  #refusal(why: string): Reply {
    this.stream.release()
    return deny(503, 'endpoint_picker_failed', {
      message: `endpoint picker failed: ${why}`,
      reason: 'ExtProc',
    })
  }

  #trace(details: string): void {
    this.#x.probe?.record(applied('endpoint_picker', details))
  }
}

/** A fault of the picker, or the one of a service that does not exist, or cannot be called. */
const isOfPicker = (why: unknown): why is Fault =>
  why instanceof ProcessorFault || (why instanceof Fault && uncallable.has(why.code))

const uncallable: ReadonlySet<string> = new Set(['backend_missing', 'upstream_connect'])

/** A request as it was before the picker saw it. */
interface KeptRequest {
  readonly headers: Headers
  readonly body: Body
}

const all = { headers: true, body: 'fullDuplexStreamed', trailers: true } as const
/** Pickers read prompts and count tokens: the protocol has them see both bodies. */
const everything: ExchangeModes = { request: all, reply: all }
