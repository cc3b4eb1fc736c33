import type { Socket } from 'node:dgram'
import { Observable, race, take } from 'rxjs'
import { Fault } from '../../model/exchange/fault.ts'
import { blamesUpstream, codeOf, connectFault } from '../../upstream/faults.ts'
import type { UdpDialler } from '../../upstream/connect/udp.ts'
import type { DatagramDropReason } from './datagram-drop.ts'
import type { DatagramSessions } from './datagram-sessions.ts'
import type { SessionEnd, UdpFlow } from './udp-flow.ts'

/** What a session needs of its port. */
export interface SessionOptions {
  readonly dialler: Pick<UdpDialler, 'connect'>
  readonly sessions: DatagramSessions
  readonly idleTimeoutMs: number
  /** Sends a datagram of the upstream to the client. */
  readonly reply: (flow: UdpFlow, datagram: Buffer) => void
  readonly dropped: (flow: UdpFlow, reason: DatagramDropReason) => void
}

/**
 * Runs a session for as long as it is subscribed to: emits once, how it ended. It is a race of its possible ends: the
 * upstream is not there, nothing comes any more, or the port cuts it.
 */
export const sessionEnd = (flow: UdpFlow, options: SessionOptions): Observable<SessionEnd> =>
  race(flow.cut$, idle(flow, options.idleTimeoutMs), relayed(flow, options)).pipe(take(1))

/** Emits after a time without datagrams. One timer a session, which datagrams do not touch. */
const idle = (flow: UdpFlow, timeoutMs: number): Observable<SessionEnd> =>
  new Observable((subscriber) => {
    let timer: NodeJS.Timeout
    const check = () => {
      const leftMs = flow.activeAt + timeoutMs - performance.now()
      if (leftMs <= 0) subscriber.next({ reason: 'Upstream' })
      // Timers have whole milliseconds, and may fire a little early.
      else timer = setTimeout(check, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS))
    }
    timer = setTimeout(check, Math.min(timeoutMs, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  })

/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Passes datagrams both ways; emits if the upstream cannot be reached. */
const relayed = (
  flow: UdpFlow,
  { dialler, sessions, reply, dropped }: SessionOptions,
): Observable<SessionEnd> =>
  new Observable((subscriber) => {
    const { session } = flow
    let socket: Socket | undefined
    let gone = (): void => undefined
    const fail = (fault: Fault) => {
      if (blamesUpstream(fault)) flow.target.onUnreachable?.()
      const { reason, code, message } = fault
      subscriber.next({ reason, code, error: message })
    }
    session.backend = flow.target.backend
    session.upstreamStartedAt = performance.now()
    const cancel = dialler.connect(flow.target, (found, endpoint) => {
      session.endpoint = endpoint
      if (found instanceof Fault) {
        fail(found)
        return
      }
      socket = found
      session.reason = 'Upstream'
      gone = sessions.leaveBy(found.address(), flow.hops)
      // What the network reports about earlier datagrams, such as that nobody listens at the port.
      found.on('error', (error) => fail(connectFault(error)))
      found.on('message', (datagram) => reply(flow, datagram))
      const sent = (error: Error | null) => {
        if (!error) return
        if (UNREACHABLE.has(codeOf(error))) fail(connectFault(error))
        else dropped(flow, 'send_failed')
      }
      flow.send = (datagram) => {
        if (found.getSendQueueSize() > MAX_QUEUE_BYTES) dropped(flow, 'send_queue_full')
        else found.send(datagram, sent)
      }
      for (const datagram of flow.pending.drain()) flow.send(datagram)
    })
    return () => {
      flow.send = undefined
      flow.pending.drain()
      gone()
      if (!socket) cancel()
      else socket.removeAllListeners().on('error', ignore).close()
    }
  })

/** Bytes that the system has not taken yet, beyond which datagrams are dropped. */
export const MAX_QUEUE_BYTES = 1_048_576

const UNREACHABLE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'])

const ignore = (): void => undefined
