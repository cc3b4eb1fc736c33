import type { Socket } from 'node:net'

/** Limits of connections. */
export interface ConnectionLimits {
  /** At a time; 4,000 by default. */
  readonly maxConnections?: number
  /** At a time from one address; 256 by default, since a network may translate the addresses of many proxies into one. */
  readonly maxConnectionsPerAddress?: number
  /** How long a connection may be without an authenticated stream; 20 seconds by default. */
  readonly idleMs?: number
}

/** Why a connection was refused or ended. */
export type ConnectionEnd =
  'too_many' | 'too_many_of_address' | 'not_authenticated' | 'too_many_bytes' | 'slow'

/**
 * The connections of the port, each by its remote address and port. One without an authenticated stream is worth little:
 * it is ended soon, and may send little until then, whatever it consists of: pings, settings, headers, resets.
 */
export class XdsConnections {
  readonly #limits: Required<ConnectionLimits>
  readonly #onEnd: (reason: ConnectionEnd) => void
  readonly #connections = new Map<string, Connection>()
  readonly #counts = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout

  constructor(limits: ConnectionLimits, onEnd: (reason: ConnectionEnd) => void) {
    this.#limits = { maxConnections: 4_000, maxConnectionsPerAddress: 256, idleMs: 20_000, ...limits }
    this.#onEnd = onEnd
    this.#sweep = setInterval(
      () => {
        this.#endExcessive(performance.now())
      },
      Math.min(SWEEP_MS, this.#limits.idleMs / 4),
    ).unref()
  }

  /** Whether a new connection may stay; it is destroyed otherwise. */
  add(socket: Socket): boolean {
    // A connection that breaks is the business of those who use it.
    socket.on('error', () => socket.destroy())
    const { remoteAddress: address, remotePort } = socket
    // It is gone already.
    if (address === undefined) {
      socket.destroy()
      return false
    }
    const { maxConnections, maxConnectionsPerAddress } = this.#limits
    const count = this.#counts.get(address) ?? 0
    if (this.#connections.size >= maxConnections || count >= maxConnectionsPerAddress) {
      this.#onEnd(count >= maxConnectionsPerAddress ? 'too_many_of_address' : 'too_many')
      socket.destroy()
      return false
    }
    const peer = peerName(address, remotePort)
    const now = performance.now()
    this.#connections.set(peer, {
      socket,
      streams: 0,
      idleSince: now,
      ...UNKNOWN,
      leftBytes: UNKNOWN.burstBytes,
      seenBytes: 0,
      seenAt: now,
    })
    this.#counts.set(address, count + 1)
    socket.once('close', () => {
      this.#connections.delete(peer)
      const left = (this.#counts.get(address) ?? 1) - 1
      if (left > 0) this.#counts.set(address, left)
      else this.#counts.delete(address)
    })
    return true
  }

  /** A stream of a connection is authenticated. Returns what is called when it ends; undefined without the connection. */
  admit(peer: string): (() => void) | undefined {
    const connection = this.#connections.get(peer)
    if (!connection) return undefined
    // What it has sent before counts as what it was.
    if (connection.burstBytes === UNKNOWN.burstBytes)
      Object.assign(connection, KNOWN, { leftBytes: KNOWN.burstBytes })
    connection.streams++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      if (--connection.streams === 0) connection.idleSince = performance.now()
    }
  }

  /** Ends a connection at once: of one that does not read, no stream can be ended in order. */
  end(peer: string, reason: ConnectionEnd): void {
    const connection = this.#connections.get(peer)
    if (!connection) return
    this.#onEnd(reason)
    connection.socket.destroy()
  }

  /** Ends all of them: when what was written has been sent, and after a while in any case. */
  closeAll(graceMs: number): void {
    clearInterval(this.#sweep)
    const sockets = [...this.#connections.values()].map(({ socket }) => socket)
    for (const socket of sockets) socket.destroySoon()
    const forced = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, graceMs)
    // Connections may close before that; a timer must not keep the process.
    forced.unref()
  }

  #endExcessive(now: number): void {
    for (const [peer, connection] of this.#connections) {
      const { socket, streams, idleSince, seenAt, seenBytes, burstBytes, bytesPerSecond } = connection
      const refilled = connection.leftBytes + ((now - seenAt) / 1000) * bytesPerSecond
      connection.leftBytes = Math.min(burstBytes, refilled) - (socket.bytesRead - seenBytes)
      connection.seenBytes = socket.bytesRead
      connection.seenAt = now
      if (connection.leftBytes < 0) this.end(peer, 'too_many_bytes')
      else if (streams === 0 && now - idleSince > this.#limits.idleMs) this.end(peer, 'not_authenticated')
    }
  }
}

/** The name of a connection, as gRPC has it. */
const peerName = (address: string, port: number | undefined): string => `${address}:${port ?? ''}`

/** The address of a connection's name. */
export const peerAddress = (peer: string): string => peer.slice(0, Math.max(0, peer.lastIndexOf(':')))

interface Connection {
  readonly socket: Socket
  /** Those that are authenticated. */
  streams: number
  idleSince: number
  burstBytes: number
  bytesPerSecond: number
  /** What it may send now. */
  leftBytes: number
  seenBytes: number
  seenAt: number
}

const SWEEP_MS = 1_000
/** A handshake, and the headers and settings of a few streams. */
const UNKNOWN = { burstBytes: 256 * 2 ** 10, bytesPerSecond: 16 * 2 ** 10 }
/** First requests name all resources that a proxy has; later ones are short. */
const KNOWN = { burstBytes: 32 * 2 ** 20, bytesPerSecond: 256 * 2 ** 10 }
