import { networkInterfaces } from 'node:os'
import { plainAddress } from '../http/connection/plain-address.ts'

/** Interfaces come and go, and asking for them takes longer than a datagram. */
const MAX_AGE_MS = 5_000

/** Tells whether an address is one of this machine. */
export class OwnAddresses {
  #known: ReadonlySet<string> = new Set()
  #readAt = -Infinity

  has(address: string): boolean {
    const plain = plainAddress(address)
    if (plain.startsWith('127.')) return true
    const now = performance.now()
    if (now - this.#readAt > MAX_AGE_MS) {
      this.#readAt = now
      const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
      this.#known = new Set(interfaces.map((one) => one.address))
    }
    return this.#known.has(plain)
  }
}
