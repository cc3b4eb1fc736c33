import { Duplex } from 'node:stream'
import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import { opcodes } from '../../protocols/websocket/frame-head.ts'
import type { MessageReader, ProtocolProblem } from '../../protocols/websocket/message-reader.ts'
import { type FrameWriter, writeClose, writeFrame, writeText } from '../../protocols/websocket/write-frame.ts'
import type { Guards } from '../guard/guards.ts'
import { ClientEvents } from './client-events.ts'
import { blockedEvent, cancelEvent } from './conversation-events.ts'
import { clientReader, providerReader } from './conversation-readers.ts'
import { ProviderEvents } from './provider-events.ts'
import { WorkLine } from './work-line.ts'

/** Who guards a conversation, and what is known of it. */
export interface GuardedConversationOptions {
  readonly x: Exchange
  /** The client's request as it came: that of `x` has become the provider's. */
  readonly asked: Exchange
  /** The provider's answer to it. */
  readonly reply: Reply
  readonly guards: Guards
  /** What each guard of answers kept of the request. */
  readonly kept: readonly unknown[]
  /** Of one message, and of those of the provider that wait. */
  readonly limitBytes: number
}

/**
 * A realtime conversation over a WebSocket without extensions, with guards in between: who writes to it is the client, and
 * what is read is the client's. Whole messages are taken from either side and written anew, those of a side in order; only
 * pings and pongs do not wait for guards. What cannot be read as messages closes both sides.
 */
export class GuardedConversation extends Duplex {
  readonly #provider: Duplex
  readonly #options: GuardedConversationOptions
  readonly #fromClient: MessageReader
  readonly #fromProvider: MessageReader
  readonly #line: WorkLine
  readonly #clientEvents: ClientEvents | undefined
  readonly #providerEvents: ProviderEvents | undefined
  /** Sides that have been told that it is over: nothing may be said to them any more. */
  readonly #closed = new Set<FrameWriter>()
  #isFull = false
  /** The client is told nothing more. */
  #hasEnded = false
  #isCut = false
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param provider The connection to the provider, which has agreed to the upgrade. */
  constructor(provider: Duplex, options: GuardedConversationOptions) {
    super()
    this.#provider = provider
    this.#options = options
    const { x, asked, reply, guards, kept, limitBytes } = options
    const { request, response, streaming, settle } = guards
    this.#line = new WorkLine(WAITING_BYTES, this.#broke)
    this.#clientEvents = request.length
      ? new ClientEvents({
          asked,
          guards: request,
          settle: (_, checked) => {
            // A client that has left is no failure of a guard.
            if (!asked.signal.aborted) settle(x, checked)
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
          settle,
          guards: response,
          kept,
          streaming,
          limitBytes,
          send: (frame) => {
            this.#write('server', frame)
          },
          cancel: (answer) => {
            this.#write('client', writeText('client', cancelEvent(answer)))
          },
          moved: this.#goOn,
          broke: this.#broke,
        })
      : undefined
    const outlet = {
      limitBytes,
      send: (writer: FrameWriter, opcode: number, payload: Buffer) => {
        this.#send(writer, opcode, payload)
      },
      cut: (broken: FrameWriter, { code, reason }: ProtocolProblem) => {
        this.#cut(broken, code, reason)
      },
    }
    this.#fromClient = clientReader(outlet, this.#line, this.#clientEvents)
    this.#fromProvider = providerReader(outlet, this.#providerEvents)
    this.#listen()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#safely(() => {
      this.#fromClient.push(chunk)
    })
    this.#line.whenFree(() => {
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
    else this.#line.push(end, 0)
  }

  override _read(): void {
    this.#isFull = false
    this.#goOn()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#stop()
    this.#provider.destroy()
    done(error)
  }

  #listen(): void {
    // It may break before anybody has been joined to it.
    this.on('error', () => undefined)
    const provider = this.#provider
    const events = this.#providerEvents
    provider.on('data', (chunk: Buffer) => {
      this.#safely(() => {
        this.#fromProvider.push(chunk)
        events?.rest()
      })
      this.#goOn()
    })
    provider.on('end', () => {
      if (this.#isCut) return
      if (!events) this.#endReading()
      else
        this.#safely(() => {
          events.end()
          events.whenThrough(this.#endReading)
        })
    })
    provider.on('error', (error) => {
      this.destroy(error)
    })
    provider.on('close', () => {
      // Whatever the client still says, there is nobody to hear it.
      if (!provider.readableEnded || this.readableEnded) this.destroy()
      else
        this.once('end', () => {
          this.destroy()
        })
    })
  }

  /** Lets the provider go on, or has it wait, as there is room. */
  readonly #goOn = (): void => {
    if (!this.#isCut && (this.#isFull || this.#providerEvents?.isBehind === true)) this.#provider.pause()
    else this.#provider.resume()
  }

  #send(writer: FrameWriter, opcode: number, payload: Buffer): void {
    this.#write(writer, writeFrame(writer, opcode, payload))
    if (opcode === opcodes.close) this.#closed.add(writer)
  }

  /** A server writes to the client, and a client to the provider. */
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

  /** Closes both sides: the one that broke it off, and the other. */
  #cut(broken: FrameWriter, code: number, reason: string): void {
    if (this.#isCut || this.destroyed) return
    this.#isCut = true
    this.#options.x.cutShort ??= reason
    this.#stop()
    const isClients = broken === 'client'
    this.#write('server', writeClose('server', isClients ? code : INTERNAL, reason))
    this.#write('client', writeClose('client', isClients ? GOING_AWAY : code, isClients ? '' : reason))
    this.#closed.add('server').add('client')
    this.#endReading()
    this.#provider.end()
    this.#goOn()
    this.#timer = setTimeout(() => {
      this.destroy()
    }, CLOSING_MS)
    this.#timer.unref()
  }

  #stop(): void {
    this.#fromClient.stop()
    this.#fromProvider.stop()
    this.#line.stop()
    this.#providerEvents?.stop()
    this.#options.asked.cancel()
  }

  #safely(run: () => void): void {
    try {
      run()
    } catch (problem) {
      this.#broke(problem)
    }
  }

  readonly #broke = (problem: unknown): void => {
    this.#options.x.cutShort ??= problem instanceof Error ? problem.message : 'a guard broke'
    this.#cut('server', INTERNAL, 'internal error')
  }
}

/** So much of what a client says may wait for guards. */
const WAITING_BYTES = 262_144
/** So long both sides have for saying good-bye. */
const CLOSING_MS = 2_000
/** Close codes (RFC 6455 §7.4.1). */
const GOING_AWAY = 1001
const INTERNAL = 1011
