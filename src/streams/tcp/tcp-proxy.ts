import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../../model/exchange/fault.ts'
import type { TcpSession } from '../../model/exchange/tcp-connection.ts'
import type { TcpDeadEnd, TcpTarget } from '../../model/resources/snapshot.ts'
import { breakOff } from '../../upstream/connect/reset-socket.ts'
import { splice } from '../../upstream/connect/splice.ts'
import type { TcpDialler } from '../../upstream/connect/tcp.ts'
import type { ConnectionActivity } from '../http/connection/connection-activity.ts'
import type { TcpHops } from './tcp-hops.ts'
import type { ConnectionDriver } from '../http/connection/client-connection.ts'

/** How raw connections are proxied. */
export interface TcpProxyOptions {
  /** Opens the upstream side. */
  readonly dialler: Pick<TcpDialler, 'connect'>
  /** Idle timeout, in both directions. */
  readonly idleTimeoutMs: number
  readonly hops: TcpHops
  /** Largest number of passes of a connection that comes back to the gateway; 0 is unlimited. */
  readonly maxHops: number
  /** Called once, when both sides have closed: the upstream's may take longer than the client's. */
  readonly ended: (session: TcpSession) => void
}

/**
 * Connects a client's stream with a target, and passes bytes both ways. The connection of a client without a target, or
 * whose target cannot be reached, is reset.
 */
export class TcpProxy implements ConnectionDriver {
  readonly #client: Duplex
  readonly #session: TcpSession
  readonly #options: TcpProxyOptions
  #cut: (reason: string) => void

  constructor(client: Duplex, session: TcpSession, options: TcpProxyOptions) {
    this.#client = client
    this.#session = session
    this.#options = options
    this.#cut = (reason) => this.#refuse(reason)
  }

  /** @param target Undefined if no route matches. */
  start(target: TcpTarget | TcpDeadEnd | undefined): void {
    if (target) this.#session.labels = target.labels
    if (target && 'fault' in target) this.#fail(target.fault)
    else if (target) this.#connect(target)
    else this.#fail(new Fault('route_not_found', 'route not found', { status: 404, reason: 'NotFound' }))
  }

  /** A raw connection cannot be drained without losing bytes: only its endpoints can detect its end. */
  retire(): void {
    return undefined
  }

  closeWhenIdle(): void {
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

  activity(): ConnectionActivity {
    return { protocol: 'raw', session: this.#session }
  }

  #connect(target: TcpTarget): void {
    const session = this.#session
    const client = this.#client
    session.backend = target.backend
    session.upstreamStartedAt = performance.now()
    let cancel = (): void => undefined
    const stop = () => {
      client.off('close', onClientClose)
      cancel()
    }
    const onClientClose = () => {
      stop()
      this.#finish('client left')
    }
    client.on('close', onClientClose)
    this.#cut = (reason) => {
      stop()
      this.#refuse(reason)
    }
    const dial = () => {
      cancel = this.#options.dialler.connect(target, (found, endpoint) => {
        client.off('close', onClientClose)
        session.endpoint = endpoint
        if (found instanceof Fault) this.#fail(found)
        else if (this.#isLoop(found)) {
          breakOff(found)
          this.#fail(connectionLoop())
        } else {
          if (endpoint !== undefined) target.onConnected?.(endpoint)
          this.#splice(found)
        }
      })
    }
    const { rawAddress, destinationAddress } = session.connection
    if (rawAddress !== destinationAddress) {
      dial()
      return
    }
    // A client on this machine may be the gateway: the end of a refused loop has to overtake its next pass.
    const waiting = setTimeout(dial, 2)
    cancel = () => clearTimeout(waiting)
  }

  #isLoop(upstream: Socket): boolean {
    const { hops, maxHops } = this.#options
    return maxHops > 0 && hops.add(this.#session.connection, upstream) > maxHops
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
    breakOff(this.#client)
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

const connectionLoop = (): Fault =>
  new Fault('request_loop', 'request loop detected', { status: 508, reason: 'InvalidRequest' })
