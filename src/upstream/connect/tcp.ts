import type { Socket } from 'node:net'
import { Fault } from '../../model/exchange/fault.ts'
import type { UpstreamSettings } from '../../model/resources/process-settings.ts'
import type { TcpTarget } from '../../model/resources/snapshot.ts'
import type { ProxyAddress } from '../backend-tunnel/schema.ts'
import { type Connected, dial, type DialOptions, type DialAddress, addressName } from './dial.ts'
import { refusedDestination } from '../dynamic/allowed-destinations.ts'
import { connectFault } from '../faults.ts'
import { type Lookup, DnsEntry } from './dns-cache.ts'
import { HttpProxy } from './http-proxy.ts'
import { getOrMake } from '../get-or-make.ts'
import { isAddress, addressOf } from './address.ts'
import { TlsClient } from './tls.ts'
import { boundedCache } from '../../model/introspection/bounded-cache.ts'

/** Called once: an open connection or why there is none, and the address that was dialled last, if any. */
export type TcpConnected = (found: Socket | Fault, endpoint: string | undefined) => void

const MAX_NAMES = 1_024

/** Opens raw connections for TCP routes. A name's addresses are tried one after the other. */
export class TcpDialler {
  readonly #settings: UpstreamSettings
  readonly #lookup: Lookup
  readonly #connected: Connected | undefined
  readonly #names = boundedCache<string, DnsEntry>('tcp_names', { max: MAX_NAMES })
  readonly #tls = boundedCache<string, TlsClient>('tcp_tls_clients', { max: MAX_NAMES })
  readonly #proxies = boundedCache<string, HttpProxy>('tcp_proxies', { max: MAX_NAMES })

  /** @param connected Called with every connection. */
  constructor(settings: UpstreamSettings, lookup: Lookup, connected?: Connected) {
    this.#settings = settings
    this.#lookup = lookup
    this.#connected = connected
  }

  /** @returns Cancels; `connected` is then not called. */
  connect(
    {
      target,
      addresses,
      tls,
      proxy,
      reaches,
    }: Pick<TcpTarget, 'target' | 'addresses' | 'tls' | 'proxy' | 'reaches'>,
    connected: TcpConnected,
  ): () => void {
    const host = 'unix' in target ? '' : target.host
    const client = tls && getOrMake(this.#tls, JSON.stringify([host, tls]), () => new TlsClient(tls, host))
    const route = { tls: client, proxy: proxy && this.#proxy(proxy) }
    if (addresses) return this.#try(addresses, route, connected)
    // The addresses of a name that clients choose are checked, so a proxy may not be the one that looks it up.
    if ('unix' in target || isAddress(host) || (proxy && !reaches)) {
      if (reaches?.(host) !== false) return this.#try([addressOf(target)], route, connected)
      connected(refusedDestination(`${host} is no public address`), undefined)
      return () => undefined
    }
    let over = false
    let cancel = () => {
      over = true
    }
    getOrMake(this.#names, host, () => new DnsEntry(host, this.#lookup)).resolve(
      performance.now(),
      (found) => {
        if (over) return
        // One bad address among good ones indicates DNS rebinding.
        const bad = found instanceof Fault ? undefined : found.find((ip) => reaches?.(ip) === false)
        if (found instanceof Fault) connected(found, undefined)
        else if (bad !== undefined) connected(refusedDestination(`${host} is at ${bad}`), undefined)
        else
          cancel = this.#try(
            found.map((ip) => ({ ip, port: target.port })),
            route,
            connected,
          )
      },
    )
    return () => cancel()
  }

  #proxy(address: ProxyAddress): HttpProxy {
    const { host, tls, tcp, authorization, addresses, invalid } = address
    const key = JSON.stringify([addresses, host, tls, tcp, authorization, invalid])
    return getOrMake(this.#proxies, key, () => new HttpProxy(address, this.#settings, this.#lookup))
  }

  #try([first, ...rest]: readonly DialAddress[], route: Route, connected: TcpConnected): () => void {
    if (!first) {
      connected(connectFault(new Error('no address')), undefined)
      return () => undefined
    }
    const { connectTimeoutMs, keepalives } = this.#settings
    let cancel = dial(
      first,
      { connectTimeoutMs, keepalives, ...route, halfOpen: true, connected: this.#connected },
      route.tls?.policy.alpn ?? [],
      (error, socket) => {
        if (socket) connected(socket, addressName(first))
        else if (rest.length) cancel = this.#try(rest, route, connected)
        else connected(connectFault(error), addressName(first))
      },
    )
    return () => cancel()
  }
}

/** How an address is reached. */
type Route = Pick<DialOptions, 'tls' | 'proxy'>
