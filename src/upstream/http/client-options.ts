import type { DialOptions } from '../connect/dial.ts'
import type { HttpProxy } from '../connect/http-proxy.ts'
import type { UpstreamProtocol } from './protocol.ts'

/** How the connections to an address are made and kept. */
export interface ClientOptions extends DialOptions {
  /** Name or address of the upstream; matters behind a proxy. */
  readonly host?: string
  readonly proxy?: HttpProxy | undefined
  readonly protocol: UpstreamProtocol
  /** How long an idle connection is kept. */
  readonly poolIdleTimeoutMs: number
  /** Connections per endpoint; undefined is unlimited. */
  readonly poolMaxSize: number | undefined
}
