import type { RemoteInfo, Socket } from 'node:dgram'
import { map, mergeMap, Subject } from 'rxjs'
import { connectionNumber } from '../../model/exchange/connection-number.ts'
import { UdpSession } from '../../model/exchange/udp-session.ts'
import type { Bind } from '../../model/resources/resources.ts'
import type { CompiledBind, CompiledListener, Snapshot } from '../../model/resources/snapshot.ts'
import type { OpenPort, Retirement } from '../http/port/open-port.ts'
import type { PortAddress, SocketOptions } from '../http/port/port-address.ts'
import type { ConnectionLabels } from '../http/port/port-hooks.ts'
import type { ExchangeServer } from '../http/port/serve.ts'
import type { DatagramDropReason, DropLabels } from './datagram-drop.ts'
import { DroppedDatagrams } from './dropped-datagrams.ts'
import { openDatagramSocket } from './open-datagram-socket.ts'
import { PendingBudget } from './pending-datagrams.ts'
import { MAX_QUEUE_BYTES, sessionEnd } from './session-end.ts'
import { sessionTarget, udpSettings } from './session-target.ts'
import { type SessionEnd, UdpClient, UdpFlow } from './udp-flow.ts'

/**
 * One bind for datagrams while it is open. The first datagram of an address and port begins a session: the upstream that
 * is chosen then gets all others, by a socket that only this session has, and only what comes from it is sent back.
 */
export class UdpPort implements OpenPort {
  readonly key: string
  readonly transport = 'udp'
  /** Datagrams belong to no connection. */
  readonly connections: ReadonlySet<never> = new Set()
  readonly #serving: ExchangeServer
  readonly #dropped: DroppedDatagrams
  #snapshot: Snapshot
  #bind: CompiledBind
  #socket: Socket | undefined = undefined
  readonly #flows = new Map<string, UdpFlow>()
  readonly #raw = new Set<UdpFlow>()
  readonly #opened$ = new Subject<UdpFlow>()
  readonly #gone = Promise.withResolvers<undefined>()
  #isRetired = false
  #stopListening = (): void => undefined
  readonly #budget = new PendingBudget()

  constructor(serving: ExchangeServer, snapshot: Snapshot, bind: CompiledBind) {
    this.key = bind.resource.key
    this.#serving = serving
    this.#dropped = new DroppedDatagrams(serving.hooks)
    this.#snapshot = snapshot
    this.#bind = bind
    // Ends by itself: with the last session after the port has retired.
    this.#opened$
      .pipe(mergeMap((flow) => this.#run(flow).pipe(map((end) => ({ flow, end })))))
      .subscribe(({ flow, end }) => this.#ended(flow, end))
  }

  /** Applies a configuration. Sessions go on if it still leads to their endpoints, and admits their clients. */
  configure(snapshot: Snapshot, bind: CompiledBind): string[] {
    const before = this.#bind
    this.#snapshot = snapshot
    this.#bind = bind
    const udp = bind.listeners[0]?.udp
    const hasRoutes = udp !== before.listeners[0]?.udp
    const hasRules = bind.connections !== before.connections
    if (!hasRoutes && !hasRules) return []
    for (const flow of this.#raw)
      if (hasRoutes && !udp?.keeps(flow.target)) flow.cut('its route or endpoint is gone')
      else if (hasRules && bind.connections?.admit(flow.client, undefined) === false)
        flow.cut('the client is no longer authorized')
    return []
  }

  async open(options: SocketOptions): Promise<void> {
    const { address, port, mode } = this.#bind.resource
    // Nothing leads to it: tunnels carry connections.
    if (mode === 'internal') return
    const socket = await openDatagramSocket(address, port ?? 0, options)
    this.#socket = socket
    this.#stopListening = this.#serving.datagramSessions.listensOn(socket.address().port)
    socket.on('message', (datagram, from) => this.#receive(datagram, from))
    // Of replies to clients that are gone: those sessions end when they are idle.
    socket.on('error', () => undefined)
    this.#closeIfGone()
  }

  get address(): PortAddress | undefined {
    const socket = this.#socket
    if (!socket) return undefined
    const { address: host, port } = socket.address()
    return { bind: this.key, host, port }
  }

  /** The sessions, oldest first. */
  get raw(): ReadonlySet<UdpFlow> {
    return this.#raw
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  listensAs({ address, port }: Bind): boolean {
    const { resource } = this.#bind
    return resource.address === address && resource.port === port
  }

  /** Accepts no further sessions. Those of a removed port end now; when the gateway drains, they may go on. */
  retire(why: Retirement): Promise<unknown> {
    this.#isRetired = true
    if (why === 'removed') this.#cutAll('its port is gone')
    this.#closeIfGone()
    return this.#gone.promise
  }

  /** The socket itself closes with the last session, as replies leave by it. */
  stopAccepting(): Promise<void> {
    return Promise.resolve()
  }

  destroy(): void {
    this.#cutAll('the gateway ended')
  }

  #cutAll(why: string): void {
    for (const flow of this.#raw) flow.cut(why)
  }

  #receive(datagram: Buffer, from: RemoteInfo): void {
    const key = `${from.address} ${String(from.port)}`
    const flow = this.#flows.get(key) ?? this.#begin(key, from)
    if (!flow) return
    const { session, send, pending } = flow
    flow.activeAt = performance.now()
    session.receivedDatagrams++
    session.receivedBytes += datagram.length
    if (send) send(datagram)
    else if (!pending.add(datagram)) this.#drop('pending_full', flow.client.labels)
  }

  #begin(key: string, from: RemoteInfo): UdpFlow | undefined {
    const [listener] = this.#bind.listeners
    const labels = this.#labelsOf(listener)
    const client = new UdpClient(from, this.#socket?.address() ?? { address: '', port: 0 })
    const { datagramSessions: sessions } = this.#serving
    const hops = sessions.isForgedReply(from) ? Infinity : sessions.hopsOf(from)
    const open = this.#flows.size
    const target = sessionTarget(this.#bind, sessions, { client, hops, open, isRetired: this.#isRetired })
    if ('drop' in target) {
      this.#dropped.record(target.drop, labels, target.fields)
      return undefined
    }
    const session = new UdpSession(client, this.#snapshot, target.labels, undefined, listener?.frontend)
    const flow = new UdpFlow({ key, from, client, session, target, hops, budget: this.#budget })
    client.labels = labels
    this.#flows.set(key, flow)
    this.#raw.add(flow)
    sessions.used++
    this.#opened(flow, labels)
    this.#opened$.next(flow)
    // The upstream may be known to be out of reach: then the session has ended already.
    return this.#flows.get(key)
  }

  #run(flow: UdpFlow): ReturnType<typeof sessionEnd> {
    return sessionEnd(flow, {
      dialler: this.#serving.udp,
      sessions: this.#serving.datagramSessions,
      idleTimeoutMs: udpSettings(this.#bind.frontend).idleTimeoutMs,
      reply: (to, datagram) => this.#reply(to, datagram),
      dropped: ({ client }, reason) => this.#drop(reason, client.labels),
    })
  }

  #reply(flow: UdpFlow, datagram: Buffer): void {
    const socket = this.#socket
    if (!socket) return
    flow.activeAt = performance.now()
    if (socket.getSendQueueSize() > MAX_QUEUE_BYTES) {
      this.#drop('send_queue_full', flow.client.labels)
      return
    }
    flow.session.sentDatagrams++
    flow.session.sentBytes += datagram.length
    socket.send(datagram, flow.from.port, flow.from.address, (error) => {
      if (error) this.#drop('send_failed', flow.client.labels)
    })
  }

  #opened({ client }: UdpFlow, labels: ConnectionLabels): void {
    const { connections, log } = this.#serving.hooks
    connections?.opened(labels)
    log?.debug?.('a UDP session began', {
      connection: connectionNumber(client),
      bind: this.key,
      listener: labels.listener,
      source: `${client.sourceAddress} ${String(client.sourcePort)}`,
    })
  }

  #ended(flow: UdpFlow, { reason, code, error }: SessionEnd): void {
    const { session, client } = flow
    this.#flows.delete(flow.key)
    this.#raw.delete(flow)
    this.#serving.datagramSessions.used--
    session.reason = reason
    session.code = code
    session.error = error
    session.endedAt = performance.now()
    const { hooks } = this.#serving
    if (client.labels) hooks.connections?.closed(client.labels, session.receivedBytes, session.sentBytes)
    hooks.rawEnded?.(session)
    this.#closeIfGone()
  }

  #labelsOf(listener: CompiledListener | undefined): ConnectionLabels {
    const { gateway, listener: name } = listener?.labels ?? this.#bind.labels
    return { bind: this.key, gateway, listener: name, protocol: 'udp' }
  }

  #drop(reason: DatagramDropReason, labels: DropLabels | undefined): void {
    if (labels) this.#dropped.record(reason, labels)
  }

  #closeIfGone(): void {
    if (!this.#isRetired || this.#raw.size > 0) return
    this.#socket?.close()
    this.#socket = undefined
    this.#stopListening()
    this.#opened$.complete()
    this.#dropped.stop(this.key)
    this.#gone.resolve(undefined)
  }
}
