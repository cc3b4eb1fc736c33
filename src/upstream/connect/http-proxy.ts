import type { UpstreamSettings } from '../../model/resources/process-settings.ts'
import type { ProxyAddress } from '../backend-tunnel/schema.ts'
import { exchangeConnect, proxyError } from './connect-request.ts'
import {
  type Connected,
  dial,
  type Dialled,
  type DialOptions,
  type Intermediary,
  type DialAddress,
  addressName,
} from './dial.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { type Lookup, DnsEntry } from './dns-cache.ts'
import { isAddress, addressOf } from './address.ts'
import { TlsClient } from './tls.ts'

/**
 * Connections through an HTTP proxy. The proxy's addresses are tried one after the other, beginning with the one that
 * accepted a connection last; its response about the target is final.
 */
export class HttpProxy implements Intermediary {
  /** Value of `Proxy-Authorization`. */
  readonly authorization: string | undefined
  readonly #at: ProxyAddress['addresses']
  readonly #invalid: string | undefined
  readonly #options: DialOptions
  /** DNS entries by host, for a proxy that has a name. */
  readonly #names = new Map<string, DnsEntry>()
  /** A dead address costs a time-out; not every connection should pay it. */
  #lastConnected: string | undefined = undefined

  constructor(
    { addresses, host, tls, tcp, authorization, invalid }: ProxyAddress,
    settings: Pick<UpstreamSettings, 'connectTimeoutMs' | 'keepalives'>,
    lookup: Lookup,
  ) {
    this.authorization = authorization
    this.#at = addresses
    this.#invalid = invalid
    this.#options = {
      connectTimeoutMs: tcp?.connectTimeoutMs ?? settings.connectTimeoutMs,
      keepalives: tcp?.keepalives ?? settings.keepalives,
      tls: tls && new TlsClient(tls, host),
    }
    for (const address of addresses)
      if ('host' in address && !isAddress(address.host))
        this.#names.set(address.host, new DnsEntry(address.host, lookup))
  }

  /** Opens a connection to an address behind the proxy. */
  open(address: DialAddress, halfOpen: boolean, dialled: Dialled): () => void {
    if ('unix' in address) {
      queueMicrotask(() => dialled(proxyError('PROXY_USELESS', 'no proxy reaches unix sockets'), null))
      return () => undefined
    }
    let cancel = this.#reach({ ...this.#options, halfOpen }, (error, socket, leftMs) => {
      if (socket) cancel = exchangeConnect(socket, addressName(address), this.authorization, leftMs, dialled)
      else dialled(error, null)
    })
    return () => cancel()
  }

  /**
   * Opens a connection to the proxy itself, for requests that it forwards.
   *
   * @param connected Called when it is open.
   */
  reach(dialled: Dialled, connected: Connected | undefined): () => void {
    return this.#reach({ ...this.#options, connected }, dialled)
  }

  #reach(options: DialOptions, onConnected: Reached): () => void {
    let over = false
    let cancel = () => {
      over = true
    }
    this.#addresses((addresses) => {
      if (over) return
      if (addresses instanceof Fault)
        onConnected(unreachable('the name of the proxy has no address', addresses), null, 0)
      else cancel = this.#try(this.#bestFirst(addresses), options, onConnected)
    })
    return () => cancel()
  }

  #try([first, ...rest]: readonly DialAddress[], options: DialOptions, onConnected: Reached): () => void {
    if (!first) {
      const why = this.#invalid ?? 'the proxy has no address'
      queueMicrotask(() => onConnected(unreachable(why), null, 0))
      return () => undefined
    }
    const { connectTimeoutMs } = options
    const began = performance.now()
    let cancel = dial(first, options, ['http/1.1'], (error, socket) => {
      if (socket) {
        this.#lastConnected = addressName(first)
        onConnected(null, socket, Math.max(1, connectTimeoutMs - (performance.now() - began)))
        return
      }
      for (const name of this.#names.values()) name.doubt(performance.now())
      if (rest.length) cancel = this.#try(rest, options, onConnected)
      else onConnected(unreachable(`the proxy at ${addressName(first)} cannot be reached`, error), null, 0)
    })
    return () => cancel()
  }

  #bestFirst(addresses: readonly DialAddress[]): readonly DialAddress[] {
    if (addresses.length < 2 || this.#lastConnected === undefined) return addresses
    const isBest = (address: DialAddress) => addressName(address) === this.#lastConnected
    return [...addresses.filter(isBest), ...addresses.filter((address) => !isBest(address))]
  }

  #addresses(onResolved: (addresses: readonly DialAddress[] | Fault) => void): void {
    const [only] = this.#at
    const name = only && 'host' in only ? this.#names.get(only.host) : undefined
    if (!name || !only || 'unix' in only) {
      onResolved(this.#at.map(addressOf))
      return
    }
    const now = performance.now()
    const toAddresses = (addresses: readonly string[]) => addresses.map((ip) => ({ ip, port: only.port }))
    const known = name.known(now)
    if (known) onResolved(toAddresses(known))
    else name.resolve(now, (found) => onResolved(found instanceof Fault ? found : toAddresses(found)))
  }
}

/** @param leftMs Remaining connect time. */
type Reached = (error: Error | null, socket: Parameters<Dialled>[1], leftMs: number) => void

const unreachable = (message: string, cause?: unknown): Error =>
  proxyError('PROXY_UNREACHABLE', message, cause)
