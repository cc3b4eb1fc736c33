import type { Socket } from 'node:net'
import { Fault } from '../model/fault.ts'
import type { UpstreamSettings } from '../model/process-settings.ts'
import type { TcpTarget } from '../model/snapshot.ts'
import type { ProxyPlace } from '../model/tunnel.ts'
import { type Connected, dial, type DialOptions, type Place, placeName } from './dial.ts'
import { connectFault } from './fault.ts'
import { type Lookup, Name } from './name.ts'
import { HttpProxy } from './http-proxy.ts'
import { Recent } from './recent.ts'
import { isAddress, placeOf } from './target.ts'
import { TlsClient } from './tls.ts'

/** Told once: an open connection or why there is none, and the address that was dialled last, if one was. */
export type TcpConnected = (found: Socket | Fault, endpoint: string | undefined) => void

const MAX_NAMES = 1_024

/** Opens raw connections for TCP routes. A name's addresses are tried one after the other. */
export class TcpDialler {
  readonly #settings: UpstreamSettings
  readonly #lookup: Lookup
  readonly #connected: Connected | undefined
  readonly #names = new Recent<Name>(MAX_NAMES)
  readonly #tls = new Recent<TlsClient>(MAX_NAMES)
  readonly #proxies = new Recent<HttpProxy>(MAX_NAMES)

  /** @param connected Told of every connection. */
  constructor(settings: UpstreamSettings, lookup: Lookup, connected?: Connected) {
    this.#settings = settings
    this.#lookup = lookup
    this.#connected = connected
  }

  /** @returns Gives up; `connected` is then not called any more. */
  connect(
    { target, places, tls, proxy }: Pick<TcpTarget, 'target' | 'places' | 'tls' | 'proxy'>,
    connected: TcpConnected,
  ): () => void {
    const host = 'unix' in target ? '' : target.host
    const client = tls && this.#tls.get(JSON.stringify([host, tls]), () => new TlsClient(tls, host))
    const way = { tls: client, proxy: proxy && this.#proxy(proxy) }
    if (places) return this.#try(places, way, connected)
    if ('unix' in target || isAddress(host) || proxy) return this.#try([placeOf(target)], way, connected)
    let over = false
    let giveUp = () => {
      over = true
    }
    this.#names
      .get(host, () => new Name(host, this.#lookup))
      .resolve(performance.now(), (answer) => {
        if (over) return
        if (answer instanceof Fault) connected(answer, undefined)
        else
          giveUp = this.#try(
            answer.map((ip) => ({ ip, port: target.port })),
            way,
            connected,
          )
      })
    return () => giveUp()
  }

  #proxy(place: ProxyPlace): HttpProxy {
    const { host, tls, tcp, authorization, places } = place
    const key = JSON.stringify([places, host, tls, tcp, authorization])
    return this.#proxies.get(key, () => new HttpProxy(place, this.#settings, this.#lookup))
  }

  #try([first, ...rest]: readonly Place[], way: Way, connected: TcpConnected): () => void {
    if (!first) {
      connected(connectFault(new Error('no address')), undefined)
      return () => undefined
    }
    const { connectTimeoutMs, keepalives } = this.#settings
    let giveUp = dial(
      first,
      { connectTimeoutMs, keepalives, ...way, halfOpen: true, connected: this.#connected },
      way.tls?.policy.alpn ?? [],
      (error, socket) => {
        if (socket) connected(socket, placeName(first))
        else if (rest.length) giveUp = this.#try(rest, way, connected)
        else connected(connectFault(error), placeName(first))
      },
    )
    return () => giveUp()
  }
}

/** What is on the way to a place. */
type Way = Pick<DialOptions, 'tls' | 'proxy'>
