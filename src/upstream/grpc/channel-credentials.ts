import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js'
import type { DialOptions } from '../connect/dial.ts'
import { setKeepalives } from '../connect/keepalives.ts'
import { type GrpcTunnel, securedBy } from './grpc-tunnel.ts'

/** The type of gRPC's connector, which the library does not export. */
type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>

/** How the connections of gRPC's client are opened. */
export interface GrpcConnections extends Omit<DialOptions, 'proxy'> {
  /** They lead to a proxy, and through it to the service. */
  readonly tunnel?: GrpcTunnel | undefined
}

/**
 * Opens the connections of gRPC's client like all others: with keepalives, through proxies, and with TLS by the
 * policies, with certificates that are reloaded when their files change.
 */
export class GrpcCredentials extends ChannelCredentials {
  readonly #options: GrpcConnections

  constructor(options: GrpcConnections) {
    super()
    this.#options = options
  }

  override _isSecure(): boolean {
    return this.#options.tls !== undefined
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other
  }

  override _createSecureConnector(
    _target: unknown,
    _options: unknown,
    credentials = CallCredentials.createEmpty(),
  ): SecureConnector {
    return {
      connect: async (socket) => {
        const { keepalives, tunnel, tls, connectTimeoutMs } = this.#options
        setKeepalives(socket, keepalives)
        const open = tunnel ? await tunnel.through(socket) : socket
        const usable = tls ? await securedBy(tls, open, ['h2'], connectTimeoutMs) : open
        return { socket: usable, secure: this._isSecure() }
      },
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => credentials,
      destroy: () => undefined,
    }
  }
}
