import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js'
import type { Socket } from 'node:net'
import type { DialOptions } from '../connect/dial.ts'
import { setKeepalives } from '../connect/keepalives.ts'

/** The type of gRPC's connector, which the library does not export. */
type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>

/**
 * Opens the connections of gRPC's client like all others: with keepalives, and with TLS by the policies, with
 * certificates that are reloaded when their files change.
 */
export class GrpcCredentials extends ChannelCredentials {
  readonly #options: DialOptions

  constructor(options: DialOptions) {
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
        setKeepalives(socket, this.#options.keepalives)
        return { socket: await this.#secured(socket), secure: this._isSecure() }
      },
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => credentials,
      destroy: () => undefined,
    }
  }

  #secured(socket: Socket): Promise<Socket> {
    const { tls, connectTimeoutMs } = this.#options
    if (!tls) return Promise.resolve(socket)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        socket.destroy()
        reject(new Error(`no TLS within ${connectTimeoutMs} ms`))
      }, connectTimeoutMs)
      tls.secure(socket, ['h2'], (error, secured) => {
        clearTimeout(timer)
        if (secured) resolve(secured)
        else reject(error ?? new Error('no TLS'))
      })
    })
  }
}
