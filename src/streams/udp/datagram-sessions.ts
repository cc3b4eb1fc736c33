import { readFileSync } from 'node:fs'
import { hostPortText } from '../../protocols/ip/host-port.ts'
import { plainAddress } from '../http/connection/plain-address.ts'
import { OwnAddresses } from './own-addresses.ts'

/**
 * What the sessions of all ports of a process have in common. Their number is limited to half of its open files: anybody
 * can begin sessions, from forged addresses as well, and connections need open files, too.
 */
export class DatagramSessions {
  /** Sessions that are open. */
  used = 0
  #limit: number | undefined = undefined
  /** How often datagrams have passed this process, by the local address of the upstream's socket. */
  readonly #hops = new Map<string, number>()
  readonly #ports = new Set<{ readonly port: number }>()
  readonly #own = new OwnAddresses()

  /** Unlimited where the system does not say. */
  get limit(): number {
    return (this.#limit ??= Math.floor(maxOpenFiles() / 2))
  }

  get isExhausted(): boolean {
    return this.used >= this.limit
  }

  /**
   * The number of passes of a client's datagrams, this one included: a client may be the upstream's socket of another
   * session. A load balancer in between that replaces the address hides that, and so does another process.
   */
  hopsOf({ address, port }: SocketAddress): number {
    return (this.#hops.get(keyOf(address, port)) ?? 0) + 1
  }

  /** Remembers a port that listens for datagrams, until the returned function is called. */
  listensOn(port: number): () => void {
    const one = { port }
    this.#ports.add(one)
    return () => this.#ports.delete(one)
  }

  /** Whether a datagram claims to come from a port of this gateway. It sends replies only: they would never end. */
  isForgedReply({ address, port }: SocketAddress): boolean {
    for (const one of this.#ports) if (one.port === port) return this.#own.has(address)
    return false
  }

  /** Remembers where the datagrams of a session leave, until the returned function is called. */
  leaveBy({ address, port }: SocketAddress, hops: number): () => void {
    const key = keyOf(address, port)
    this.#hops.set(key, hops)
    return () => this.#hops.delete(key)
  }
}

interface SocketAddress {
  readonly address: string
  readonly port: number
}

const keyOf = (address: string, port: number): string => hostPortText(plainAddress(address), port)

const maxOpenFiles = (): number => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}
