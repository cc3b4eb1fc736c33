import { Duplex } from 'node:stream'
import type { Exchange } from '../../../../model/exchange/exchange.ts'
import type { Reply } from '../../../../model/exchange/reply.ts'
import { opcodes } from '../../../../protocols/websocket/frame-head.ts'
import type { MessageReader, ProtocolProblem } from '../../../../protocols/websocket/message-reader.ts'
import {
  type FrameWriter,
  writeClose,
  writeFrame,
  writeText,
} from '../../../../protocols/websocket/write-frame.ts'
import type { Guards } from '../guard.ts'
import { ClientEvents } from './client-events.ts'
import { blockedEvent, cancelEvent } from './gateway-events.ts'
import { clientReader, providerReader } from './readers.ts'
import { ProviderEvents } from './provider-events.ts'
import { SerialQueue } from './serial-queue.ts'

/** The guards of a session, and its context. */
export interface GuardedSessionOptions {
  readonly x: Exchange
  /** The client's request as received: the request of `x` has been converted for the provider. */
  readonly clientExchange: Exchange
  /** The provider's response to it. */
  readonly reply: Reply
  readonly guards: Guards
  /** What each response guard saved of the request. */
  readonly kept: readonly unknown[]
  /** Limit of one message, and of all pending messages of the provider. */
  readonly limitBytes: number
}

/**
 * A realtime session over a WebSocket without extensions, with guards between both sides: written bytes come from the
 * client, and read bytes go to it. Complete messages of either side are read and encoded again, in order; only pings
 * and pongs bypass the guards. A protocol error closes both sides.
 */
export class GuardedSession extends Duplex {
  readonly #provider: Duplex
  readonly #options: GuardedSessionOptions
  readonly #fromClient: MessageReader
  readonly #fromProvider: MessageReader
  readonly #queue: SerialQueue
  readonly #clientEvents: ClientEvents | undefined
  readonly #providerEvents: ProviderEvents | undefined
  /** Sides that got a close frame: nothing may be sent to them any more. */
  readonly #closed = new Set<FrameWriter>()
  #isFull = false
  /** Nothing more is sent to the client. */
  #hasEnded = false
  #isCut = false
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param provider The connection to the provider, which has accepted the upgrade. */
  constructor(provider: Duplex, options: GuardedSessionOptions) {
    super()
    this.#provider = provider
    this.#options = options
    const { x, clientExchange, reply, guards, kept, limitBytes } = options
    const { request, response, streaming, onGuardEnd } = guards
    this.#queue = new SerialQueue(WAITING_BYTES, this.#onError)
    this.#clientEvents = request.length
      ? new ClientEvents({
          exchange: clientExchange,
          guards: request,
          onGuardEnd: (_, checked) => {
            // A disconnected client is not a failure of a guard.
            if (!clientExchange.signal.aborted) onGuardEnd(x, checked)
          },
          pass: (event) => {
            this.#send('client', opcodes.text, event)
          },
          refuse: (why) => {
            this.#write('server', writeText('server', blockedEvent(why)))
          },
        })
      : undefined
    this.#providerEvents = response.length
      ? new ProviderEvents({
          x,
          reply,
          onGuardEnd,
          guards: response,
          kept,
          streaming,
          limitBytes,
          send: (frame) => {
            this.#write('server', frame)
          },
          cancel: (responseId) => {
            this.#write('client', writeText('client', cancelEvent(responseId)))
          },
          onProgress: this.#updateFlow,
          onError: this.#onError,
        })
      : undefined
    const output = {
      limitBytes,
      send: (writer: FrameWriter, opcode: number, payload: Buffer) => {
        this.#send(writer, opcode, payload)
      },
      cut: (broken: FrameWriter, { code, reason }: ProtocolProblem) => {
        this.#cut(broken, code, reason)
      },
    }
    this.#fromClient = clientReader(output, this.#queue, this.#clientEvents)
    this.#fromProvider = providerReader(output, this.#providerEvents)
    this.#connect()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#guarded(() => {
      this.#fromClient.push(chunk)
    })
    this.#queue.whenFree(() => {
      if (this.#provider.writableNeedDrain && !this.#isCut) this.#provider.once('drain', done)
      else done()
    })
  }

  override _final(done: () => void): void {
    const end = () => {
      this.#provider.end()
      done()
    }
    if (this.#isCut) end()
    else this.#queue.push(end, 0)
  }

  override _read(): void {
    this.#isFull = false
    this.#updateFlow()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#stop()
    this.#provider.destroy()
    done(error)
  }

  #connect(): void {
    // An error may occur before the stream is connected to the client.
    this.on('error', () => undefined)
    const provider = this.#provider
    const events = this.#providerEvents
    provider.on('data', (chunk: Buffer) => {
      this.#guarded(() => {
        this.#fromProvider.push(chunk)
        events?.rest()
      })
      this.#updateFlow()
    })
    provider.on('end', () => {
      if (this.#isCut) return
      if (!events) this.#endReading()
      else
        this.#guarded(() => {
          events.end()
          events.afterFlush(this.#endReading)
        })
    })
    provider.on('error', (error) => {
      this.destroy(error)
    })
    provider.on('close', () => {
      // The provider would not receive anything else that the client sends.
      if (!provider.readableEnded || this.readableEnded) this.destroy()
      else
        this.once('end', () => {
          this.destroy()
        })
    })
  }

  /** Resumes the provider, or pauses it while there is no room. */
  readonly #updateFlow = (): void => {
    if (!this.#isCut && (this.#isFull || this.#providerEvents?.isBehind === true)) this.#provider.pause()
    else this.#provider.resume()
  }

  #send(writer: FrameWriter, opcode: number, payload: Buffer): void {
    this.#write(writer, writeFrame(writer, opcode, payload))
    if (opcode === opcodes.close) this.#closed.add(writer)
  }

  /** In WebSocket terms, a server writes to the client and a client writes to the provider. */
  #write(writer: FrameWriter, frame: Buffer): void {
    if (this.#closed.has(writer) || this.destroyed) return
    if (writer === 'client') {
      if (this.#provider.writable) this.#provider.write(frame)
    } else if (!this.#hasEnded && !this.push(frame)) this.#isFull = true
  }

  readonly #endReading = (): void => {
    if (!this.#hasEnded) this.push(null)
    this.#hasEnded = true
  }

  /** Closes both sides after one of them broke the protocol. */
  #cut(broken: FrameWriter, code: number, reason: string): void {
    if (this.#isCut || this.destroyed) return
    this.#isCut = true
    this.#options.x.downstream.truncatedBy ??= reason
    this.#stop()
    const isClients = broken === 'client'
    this.#write('server', writeClose('server', isClients ? code : INTERNAL, reason))
    this.#write('client', writeClose('client', isClients ? GOING_AWAY : code, isClients ? '' : reason))
    this.#closed.add('server').add('client')
    this.#endReading()
    this.#provider.end()
    this.#updateFlow()
    this.#timer = setTimeout(() => {
      this.destroy()
    }, CLOSING_MS)
    this.#timer.unref()
  }

  #stop(): void {
    this.#fromClient.stop()
    this.#fromProvider.stop()
    this.#queue.stop()
    this.#providerEvents?.stop()
    this.#options.clientExchange.cancel()
  }

  #guarded(run: () => void): void {
    try {
      run()
    } catch (problem) {
      this.#onError(problem)
    }
  }

  readonly #onError = (problem: unknown): void => {
    this.#options.x.downstream.truncatedBy ??= problem instanceof Error ? problem.message : 'a guard broke'
    this.#cut('server', INTERNAL, 'internal error')
  }
}

/** Limit of the client's messages that are pending for guards. */
const WAITING_BYTES = 262_144
/** How long both sides have for the closing handshake. */
const CLOSING_MS = 2_000
/** Close codes (RFC 6455 §7.4.1). */
const GOING_AWAY = 1001
const INTERNAL = 1011
