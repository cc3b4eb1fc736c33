import type { RemoteInfo } from 'node:dgram'
import { Subject } from 'rxjs'
import type { Connection } from '../../model/exchange/connection.ts'
import type { Reason } from '../../model/exchange/fault.ts'
import type { UdpSession } from '../../model/exchange/udp-session.ts'
import type { UdpTarget } from '../../model/resources/snapshot.ts'
import { type PendingBudget, PendingDatagrams } from './pending-datagrams.ts'
import { plainAddress } from '../http/connection/plain-address.ts'
import type { ConnectionActivity } from '../http/connection/connection-activity.ts'
import type { ConnectionLabels } from '../http/port/port-hooks.ts'

/** How a session ended. */
export interface SessionEnd {
  /** `Upstream` if it had one. */
  readonly reason: Reason
  readonly code?: string
  /** Absent if it was idle, the usual end. */
  readonly error?: string
}

/** One end of datagrams: an address and a port, which anybody may have forged. */
export class UdpClient implements Connection {
  readonly sourceAddress: string
  readonly sourcePort: number
  readonly rawAddress: string
  readonly rawPort: number
  readonly destinationAddress: string
  readonly destinationPort: number
  readonly tls = undefined
  readonly connectHeaders = undefined
  readonly startedAt = performance.now()
  labels: ConnectionLabels | undefined = undefined
  driver: { activity(): ConnectionActivity } | undefined = undefined

  constructor(from: RemoteInfo, to: { readonly address: string; readonly port: number }) {
    this.sourceAddress = this.rawAddress = plainAddress(from.address)
    this.sourcePort = this.rawPort = from.port
    this.destinationAddress = plainAddress(to.address)
    this.destinationPort = to.port
  }
}

/** What a session begins with. */
export interface FlowStart {
  readonly key: string
  readonly from: RemoteInfo
  readonly client: UdpClient
  readonly session: UdpSession
  readonly target: UdpTarget
  /** How often its datagrams have passed this process, this time included. */
  readonly hops: number
  readonly budget: PendingBudget
}

/** A session while it lasts. */
export class UdpFlow {
  readonly key: string
  /** Where replies go. */
  readonly from: RemoteInfo
  readonly client: UdpClient
  readonly session: UdpSession
  readonly target: UdpTarget
  readonly hops: number
  /** `performance.now()` of the last datagram, in either direction. */
  activeAt = performance.now()
  /** Sends a datagram to the upstream; absent until there is a socket. */
  send: ((datagram: Buffer) => void) | undefined = undefined
  /** Datagrams that came before. */
  readonly pending: PendingDatagrams
  readonly #cut$ = new Subject<SessionEnd>()

  constructor({ key, from, client, session, target, hops, budget }: FlowStart) {
    this.key = key
    this.from = from
    this.client = client
    this.session = session
    this.target = target
    this.hops = hops
    this.pending = new PendingDatagrams(budget)
    client.driver = this
  }

  /** Emits when something else than the session itself ends it. */
  readonly cut$ = this.#cut$.asObservable()

  cut(error: string): void {
    this.#cut$.next({ reason: 'Upstream', error })
  }

  activity(): ConnectionActivity {
    return { protocol: 'raw', session: this.session }
  }
}
