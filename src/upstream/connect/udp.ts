import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { Fault } from '../../model/exchange/fault.ts'
import { boundedCache } from '../../model/introspection/bounded-cache.ts'
import type { UdpTarget } from '../../model/resources/snapshot.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'
import { connectFault } from '../faults.ts'
import { getOrMake } from '../get-or-make.ts'
import { addressLookup } from './address-lookup.ts'
import { addressOf } from './address.ts'
import { DnsEntry, type Lookup } from './dns-cache.ts'

/** Called once: a connected socket or why there is none, and the address, if it was found. */
export type UdpConnected = (found: Socket | Fault, endpoint: string | undefined) => void

const MAX_NAMES = 1_024

/**
 * Opens connected sockets for datagrams: one gets those of its peer only, and learns that the peer is not there. Of a
 * name with several addresses, the first one is used.
 */
export class UdpDialler {
  readonly #lookup: Lookup
  readonly #names = boundedCache<string, DnsEntry>('udp_names', { max: MAX_NAMES })

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** @returns Cancels; `connected` is then not called. */
  connect({ target, address }: Pick<UdpTarget, 'target' | 'address'>, connected: UdpConnected): () => void {
    const known = address ?? addressOf(target)
    if ('ip' in known) return connectTo(known.ip, known.port, connected)
    let isOver = false
    let cancel = () => {
      isOver = true
    }
    getOrMake(this.#names, target.host, () => new DnsEntry(target.host, this.#lookup)).resolve(
      performance.now(),
      (found) => {
        if (isOver) return
        const [ip] = found instanceof Fault ? [] : found
        if (found instanceof Fault) connected(found, undefined)
        else if (ip !== undefined) cancel = connectTo(ip, target.port, connected)
      },
    )
    return () => cancel()
  }
}

const connectTo = (ip: string, port: number, connected: UdpConnected): (() => void) => {
  const endpoint = hostPortText(ip, port)
  const type = isIPv6(ip) ? 'udp6' : 'udp4'
  const socket = createSocket({ type, lookup: addressLookup(type) })
  const failed = (error: Error) => {
    close()
    connected(connectFault(error), endpoint)
  }
  const close = () => {
    socket.off('error', failed).on('error', ignore).close()
  }
  socket.once('error', failed)
  socket.connect(port, ip, () => {
    socket.off('error', failed)
    connected(socket, endpoint)
  })
  return close
}

const ignore = (): void => undefined
