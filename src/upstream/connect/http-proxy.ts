import type { UpstreamSettings } from '../model/process-settings.ts'
import type { ProxyPlace } from '../model/tunnel.ts'
import { exchangeConnect, proxyError } from './connect-exchange.ts'
import {
  type Connected,
  dial,
  type Dialled,
  type DialOptions,
  type Intermediary,
  type Place,
  placeName,
} from './dial.ts'
import { Fault } from '../model/fault.ts'
import { type Lookup, Name } from './name.ts'
import { isAddress, placeOf } from './target.ts'
import { TlsClient } from './tls.ts'

/**
 * The way to the other side of an HTTP proxy. The proxy's addresses are tried one after the other, beginning with the one
 * that took a connection last; what it says about what is behind it is final.
 */
export class HttpProxy implements Intermediary {
  /** Value of `Proxy-Authorization`. */
  readonly authorization: string | undefined
  readonly #at: ProxyPlace['places']
  readonly #options: DialOptions
  /** By host: of a proxy that has a name. */
  readonly #names = new Map<string, Name>()
  /** A dead address costs a time-out, and not every connection should have to pay it. */
  #reachedLast: string | undefined = undefined

  constructor(
    { places, host, tls, tcp, authorization }: ProxyPlace,
    settings: Pick<UpstreamSettings, 'connectTimeoutMs' | 'keepalives'>,
    lookup: Lookup,
  ) {
    this.authorization = authorization
    this.#at = places
    this.#options = {
      connectTimeoutMs: tcp?.connectTimeoutMs ?? settings.connectTimeoutMs,
      keepalives: tcp?.keepalives ?? settings.keepalives,
      tls: tls && new TlsClient(tls, host),
    }
    for (const place of places)
      if ('host' in place && !isAddress(place.host)) this.#names.set(place.host, new Name(place.host, lookup))
  }

  /** Opens a connection to what is behind the proxy. */
  open(place: Place, halfOpen: boolean, dialled: Dialled): () => void {
    if ('unix' in place) {
      queueMicrotask(() => dialled(proxyError('PROXY_USELESS', 'no proxy reaches unix sockets'), null))
      return () => undefined
    }
    let giveUp = this.#reach({ ...this.#options, halfOpen }, (error, socket, leftMs) => {
      if (socket) giveUp = exchangeConnect(socket, placeName(place), this.authorization, leftMs, dialled)
      else dialled(error, null)
    })
    return () => giveUp()
  }

  /**
   * Opens a connection to the proxy itself, for requests that it passes on.
   *
   * @param connected Told of it.
   */
  reach(dialled: Dialled, connected: Connected | undefined): () => void {
    return this.#reach({ ...this.#options, connected }, dialled)
  }

  #reach(options: DialOptions, reached: Reached): () => void {
    let over = false
    let giveUp = () => {
      over = true
    }
    this.#places((places) => {
      if (over) return
      if (places instanceof Fault)
        reached(unreachable('the name of the proxy has no address', places), null, 0)
      else giveUp = this.#try(this.#bestFirst(places), options, reached)
    })
    return () => giveUp()
  }

  #try([first, ...rest]: readonly Place[], options: DialOptions, reached: Reached): () => void {
    if (!first) {
      queueMicrotask(() => reached(unreachable('the proxy has no address'), null, 0))
      return () => undefined
    }
    const { connectTimeoutMs } = options
    const began = performance.now()
    let giveUp = dial(first, options, ['http/1.1'], (error, socket) => {
      if (socket) {
        this.#reachedLast = placeName(first)
        reached(null, socket, Math.max(1, connectTimeoutMs - (performance.now() - began)))
        return
      }
      for (const name of this.#names.values()) name.doubt(performance.now())
      if (rest.length) giveUp = this.#try(rest, options, reached)
      else reached(unreachable(`the proxy at ${placeName(first)} cannot be reached`, error), null, 0)
    })
    return () => giveUp()
  }

  #bestFirst(places: readonly Place[]): readonly Place[] {
    if (places.length < 2 || this.#reachedLast === undefined) return places
    const isBest = (place: Place) => placeName(place) === this.#reachedLast
    return [...places.filter(isBest), ...places.filter((place) => !isBest(place))]
  }

  #places(told: (places: readonly Place[] | Fault) => void): void {
    const [only] = this.#at
    const name = only && 'host' in only ? this.#names.get(only.host) : undefined
    if (!name || !only || 'unix' in only) {
      told(this.#at.map(placeOf))
      return
    }
    const now = performance.now()
    const toPlaces = (addresses: readonly string[]) => addresses.map((ip) => ({ ip, port: only.port }))
    const known = name.known(now)
    if (known) told(toPlaces(known))
    else name.resolve(now, (answer) => told(answer instanceof Fault ? answer : toPlaces(answer)))
  }
}

/** @param leftMs Of the time that connecting may take. */
type Reached = (error: Error | null, socket: Parameters<Dialled>[1], leftMs: number) => void

const unreachable = (message: string, cause?: unknown): Error =>
  proxyError('PROXY_UNREACHABLE', message, cause)
