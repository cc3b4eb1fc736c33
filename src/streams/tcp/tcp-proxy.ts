import type { Duplex } from 'node:stream'
import { Fault } from '../../model/fault.ts'
import type { RawSession } from '../../model/raw-session.ts'
import type { TcpDeadEnd, TcpTarget } from '../../model/snapshot.ts'
import { splice } from '../../upstream/splice.ts'
import type { TcpDialler } from '../../upstream/tcp.ts'
import type { Conversation } from '../http/client-connection.ts'

/** How raw connections are passed on. */
export interface RawOptions {
  /** Opens the upstream side. */
  readonly dialler: Pick<TcpDialler, 'connect'>
  /** Longest time without a byte either way. */
  readonly idleTimeoutMs: number
  /** Told once, when both sides have closed: the upstream's may take longer than the client's. */
  readonly ended: (session: RawSession) => void
}

/**
 * Connects a client's stream with a target, and passes bytes both ways. A client without a target, or whose target
 * cannot be reached, is disconnected.
 */
export class RawConversation implements Conversation {
  readonly #client: Duplex
  readonly #session: RawSession
  readonly #options: RawOptions
  #cut: (reason: string) => void

  constructor(client: Duplex, session: RawSession, options: RawOptions) {
    this.#client = client
    this.#session = session
    this.#options = options
    this.#cut = (reason) => this.#refuse(reason)
  }

  /** @param target Undefined if no route fits. */
  start(target: TcpTarget | TcpDeadEnd | undefined): void {
    if (target) this.#session.labels = target.labels
    if (target && 'fault' in target) this.#fail(target.fault)
    else if (target) this.#connect(target)
    else this.#fail(new Fault('route_not_found', 'route not found', { status: 404, reason: 'NotFound' }))
  }

  /** There is no place where it could end without losing something: only its ends know. */
  retire(): void {
    return undefined
  }

  close(): void {
    this.#cut('open for too long')
  }

  cut(): void {
    this.#cut('the gateway ended')
  }

  ended(): void {
    return undefined
  }

  #connect(target: TcpTarget): void {
    const session = this.#session
    const client = this.#client
    session.backend = target.backend
    session.upstreamStartedAt = performance.now()
    let giveUp = (): void => undefined
    const stop = () => {
      client.off('close', left)
      giveUp()
    }
    const left = () => {
      stop()
      this.#finish('client left')
    }
    client.on('close', left)
    this.#cut = (reason) => {
      stop()
      this.#refuse(reason)
    }
    giveUp = this.#options.dialler.connect(target, (found, endpoint) => {
      client.off('close', left)
      session.endpoint = endpoint
      if (found instanceof Fault) this.#fail(found)
      else this.#splice(found)
    })
  }

  #splice(upstream: Duplex): void {
    const session = this.#session
    session.reason = 'Upstream'
    upstream.on('data', (chunk: Buffer) => {
      session.sentBytes += chunk.length
    })
    this.#cut = splice(this.#client, upstream, this.#options.idleTimeoutMs, (cutShort) =>
      this.#finish(cutShort),
    )
  }

  #fail({ reason, code, message }: Fault): void {
    this.#session.reason = reason
    this.#session.code = code
    this.#refuse(message)
  }

  #refuse(error: string): void {
    this.#client.destroy()
    this.#finish(error)
  }

  #finish(error: string | undefined): void {
    const session = this.#session
    if (session.endedAt > 0) return
    session.error = error
    session.endedAt = performance.now()
    this.#options.ended(session)
  }
}
