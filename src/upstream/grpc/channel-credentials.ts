import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js'
import type { Socket } from 'node:net'
import type { DialOptions } from './dial.ts'

/** What gRPC's client asks for when it has opened a connection; it does not export the name. */
type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>

/**
 * Makes the connections of gRPC's client like all others: probed when idle, and with TLS as the policies say, with
 * certificates that are read again when their files change.
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
        const { enabled, timeMs, intervalMs, retries } = this.#options.keepalives
        socket.setKeepAlive(enabled, timeMs, intervalMs, retries)
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
