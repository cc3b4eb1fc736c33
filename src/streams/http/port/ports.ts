import { cannotListen } from '../../../model/resources/start-failure.ts'
import type { CompiledBind, Snapshot } from '../../../model/resources/snapshot.ts'
import type { PortHooks, Responders } from './port-hooks.ts'
import type { OpenPort, Retirement } from './open-port.ts'
import { Port } from './port.ts'
import { UdpPort } from '../../udp/udp-port.ts'
import type { PortAddress, SocketOptions } from './port-address.ts'
import { ExchangeServer } from './serve.ts'
import { hostPortText } from '../../../protocols/ip/host-port.ts'

/** Properties of the machine. */
export interface PortOptions extends SocketOptions {
  /** How often certificate files are checked, in milliseconds; by default every two seconds. */
  readonly certificateCheckMs?: number
}

/** A bind that could not be opened, or part of one that does not work. */
export interface PortFailure {
  readonly bind: string
  /** One sentence, with the bind, the address and the system's reason. */
  readonly message: string
  /** The error, where there is one. */
  readonly cause?: unknown
}

/** An open bind, for reports. */
export type ActivePort = Pick<OpenPort, 'key' | 'transport' | 'address' | 'isRetired' | 'connections' | 'raw'>

/** The listening side of the gateway. */
export interface Ports {
  /**
   * Serves a snapshot from now on: opens new binds, drains removed ones, and keeps the sockets of the others. Resolves
   * when all are open, with those that could not be opened; the others serve all the same.
   */
  apply(snapshot: Snapshot): Promise<readonly PortFailure[]>
  /** Addresses of the open binds, with the ports that the system chose. */
  addresses(): readonly PortAddress[]
  /** Open binds, also those that drain. */
  readonly active: readonly ActivePort[]
  /** Requests that have not ended. */
  readonly exchangesInFlight: number
  /** Worst delay of the event loop in the last 15 seconds, in milliseconds. */
  readonly eventLoopLagMs: number
  /**
   * Stops accepting and lets exchanges in flight finish, for at most `deadlineMs`; then cuts the rest. Resolves when
   * nothing is left.
   */
  drain(deadlineMs: number): Promise<void>
  /** Resolves when draining and removed ports accept no connections. */
  closed(): Promise<unknown>
}

/**
 * Opens ports for snapshots and turns requests into exchanges.
 *
 * @example
 * const ports = openPorts(hooks, { http1, http2 }, { ipv6Enabled: true })
 * const failures = await ports.apply(snapshot)
 * process.once('SIGTERM', () => ports.drain(5_000))
 */
export const openPorts = (hooks: PortHooks, responders: Responders, options: PortOptions): Ports => {
  const serving = new ExchangeServer(hooks, responders, options.certificateCheckMs ?? 2_000)
  const open = new Map<string, Port | UdpPort>()
  const retiring = new Set<OpenPort>()
  /** Ports that do not listen yet, with the outcome. */
  const opening = new Map<OpenPort, Promise<PortFailure | undefined>>()
  let draining = false

  const retire = async (port: OpenPort, why: Retirement): Promise<void> => {
    open.delete(port.key)
    retiring.add(port)
    await port.retire(why)
    retiring.delete(port)
  }
  const closed = () => Promise.all([...retiring].map((port) => port.stopAccepting()))
  const listen = async (port: OpenPort, bind: CompiledBind): Promise<PortFailure | undefined> => {
    try {
      // A port that it replaces may have the same number.
      await closed()
      if (!port.isRetired) await port.open(options)
      return undefined
    } catch (cause) {
      // A newer configuration may have replaced it meanwhile.
      if (open.get(port.key) === port) open.delete(port.key)
      void port.retire('removed')
      return { bind: port.key, message: cannotListen(bind.resource.key, addressTextOf(bind), cause), cause }
    } finally {
      opening.delete(port)
    }
  }
  const serve = async (bind: CompiledBind, key: string, snapshot: Snapshot): Promise<PortFailure[]> => {
    const port = open.get(key) ?? newPort(serving, snapshot, bind)
    const failures = configure(port, bind, snapshot)
    if (!open.has(key)) {
      open.set(key, port)
      opening.set(port, listen(port, bind))
    }
    // A configuration that comes while a port opens shares the outcome.
    const failure = await opening.get(port)
    return failure ? [...failures, failure] : failures
  }
  serving.tunnelTarget = (number) => {
    const ports = [...open.values()].filter((port) => port instanceof Port)
    return ports.find((port) => port.listensOnAll(number)) ?? ports.find((port) => port.isWildcard)
  }
  return {
    async apply(snapshot) {
      if (draining) return []
      serving.admission.limits = snapshot.resources.frontend.admission
      serving.admission.lag.start()
      for (const port of [...open.values()]) {
        const bind = snapshot.binds.get(port.key)
        if (!bind || !port.listensAs(bind.resource)) void retire(port, 'removed')
      }
      const served = [...snapshot.binds].map(([key, bind]) => serve(bind, key, snapshot))
      return (await Promise.all(served)).flat()
    },
    addresses: () =>
      [...open.values()].map((port) => port.address).filter((address) => address !== undefined),
    get active() {
      return [...open.values(), ...retiring]
    },
    get exchangesInFlight() {
      return serving.admission.inFlight
    },
    get eventLoopLagMs() {
      return serving.admission.lag.worstMs
    },
    async drain(deadlineMs) {
      draining = true
      serving.admission.lag.stop()
      const ports = [...open.values(), ...retiring]
      const deadline = setTimeout(() => ports.forEach((port) => port.destroy()), deadlineMs)
      await Promise.all(ports.map((port) => retire(port, 'draining')))
      clearTimeout(deadline)
    },
    closed,
  }
}

const newPort = (serving: ExchangeServer, snapshot: Snapshot, bind: CompiledBind): Port | UdpPort =>
  bind.resource.protocol === 'udp' ? new UdpPort(serving, snapshot, bind) : new Port(serving, snapshot, bind)

const configure = (port: OpenPort, bind: CompiledBind, snapshot: Snapshot): PortFailure[] =>
  port.configure(snapshot, bind).map((problem) => ({ bind: port.key, message: `${port.key}: ${problem}` }))

const addressTextOf = ({ resource: { address, port } }: CompiledBind): string =>
  port === undefined ? address : hostPortText(address, port)
