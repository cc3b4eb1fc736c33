import { performance } from 'node:perf_hooks'
import { Subscriber, type Subscription } from 'rxjs'
import type { BodySink } from '../../model/exchange/body.ts'
import type { InformationalSink } from '../../model/exchange/downstream-state.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { splice } from '../../upstream/connect/splice.ts'

/**
 * Writes the reply of one exchange to its client, in any protocol: `next` commits and writes; `error` replies 500 or,
 * once the head is sent, cuts the reply so that it cannot be taken for complete.
 *
 * Subscriber, body sink and close listener are one object: one allocation per request. A subscriber, not an observer,
 * which rxjs would wrap in two more objects.
 */
export abstract class ReplySink extends Subscriber<Exchange> implements BodySink, InformationalSink {
  readonly x: Exchange
  /** Nothing more can be sent to the client. */
  protected isOver = false
  readonly #ended: (x: Exchange) => void
  #run: Subscription | undefined = undefined
  #breakTunnel: ((reason: string) => void) | undefined = undefined
  /** Why a tunnel must end, or may not begin. */
  #tunnelEnds: string | undefined = undefined

  /** @param ended Called once, when the reply has ended and the exchange is complete. */
  constructor(x: Exchange, ended: (x: Exchange) => void) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for operator makers; an observer costs a wrapper more
    super()
    this.x = x
    this.#ended = ended
    x.downstream.informationalSink = this
  }

  /** The subscription to end when the client leaves. */
  attach(run: Subscription): void {
    this.#run = run
    if (this.isOver) run.unsubscribe()
  }

  protected override _next(x: Exchange): void {
    if (x.downstream.committed || !x.reply) return
    this.commit(x.reply)
  }

  protected override _error(fault: unknown): void {
    if (!this.x.downstream.committed) this.commit(deny(500, 'internal', { message: 'internal error' }))
    else {
      // The reason stays that of the reply which the client received in part.
      if (fault instanceof Fault && this.x.reply) {
        this.x.reply.code ??= fault.code
        this.x.reply.cause ??= fault.cause
      }
      this.cut(fault instanceof Error ? fault.message : String(fault))
    }
    this.unsubscribe()
  }

  protected override _complete(): void {
    if (!this.x.downstream.committed) this.commit(deny(500, 'no_reply', { message: 'internal error' }))
    this.unsubscribe()
  }

  /** The request broke off: cancels the upstream call and sends `reply` last. */
  interrupt(reply: Reply): void {
    this.isOver = true
    this.#run?.unsubscribe()
    this.x.cancel()
    if (this.x.downstream.committed) this.cut(reply.error ?? 'the request broke off')
    else this.commitLast(reply)
  }

  /** Cuts a tunnel to an upstream, or one that begins later; any other reply continues to its end. */
  endTunnel(reason: string): void {
    this.#tunnelEnds = reason
    this.#breakTunnel?.(reason)
  }

  fail(): void {
    // The fault also arrives through `error`, which handles it.
  }

  abstract write(chunk: Uint8Array): boolean
  abstract end(trailers?: readonly string[]): void
  abstract onDrain(resume: () => void): void
  abstract sendInformational(status: number, headers: readonly string[], resume: () => void): boolean

  /** Writes the head, and starts the body. */
  protected abstract commit(reply: Reply): void

  /** Commits the last reply of the connection. */
  protected commitLast(reply: Reply): void {
    this.commit(reply)
  }

  /** Ends the reply so that no client takes it for complete. */
  protected abstract cut(reason: string): void

  /** Pipes the body into this sink. */
  protected pipe({ body }: Reply): void {
    try {
      body.pipe(this)
    } catch (fault) {
      // A stage consumed the body without replacing it.
      this.error(fault)
    }
  }

  /** Joins client and upstream: bytes pass in both directions. */
  protected join(client: Parameters<typeof splice>[0], tunnel: NonNullable<Reply['tunnel']>): void {
    const { x } = this
    tunnel.on('data', (chunk: Buffer) => {
      x.downstream.sentBytes += chunk.length
    })
    const breakOff = splice(client, tunnel, 0, (reason) => {
      if (reason !== undefined && reason !== 'client left') x.downstream.truncatedBy ??= reason
    })
    // A tunnel into this gateway ends with the connections inside it.
    if (x.reply?.reason !== 'Upstream') return
    this.#breakTunnel = (reason) => {
      // The access log is written when the client's side has closed, possibly before the other side.
      x.downstream.truncatedBy ??= reason
      breakOff(reason)
    }
    if (this.#tunnelEnds !== undefined) this.#breakTunnel(this.#tunnelEnds)
  }

  /** The reply has ended, complete or not. */
  protected close(isWhole: boolean): void {
    this.isOver = true
    const { x } = this
    if (!isWhole && !x.reply?.tunnel) {
      x.downstream.truncatedBy ??= x.request.connection.cutBecause ?? 'client left'
      x.cancel()
    }
    this.#run?.unsubscribe()
    x.downstream.endedAt = performance.now()
    this.#ended(x)
  }
}
