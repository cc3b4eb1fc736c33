import { createServer, type Http2Server } from 'node:http2'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { FrontendHttp, FrontendPolicies } from '../../../model/resources/frontend-policies.ts'
import { ResetWatch } from '../../../upstream/http/reset-watch.ts'
import type { ClientConnection } from '../connection/client-connection.ts'
import { Http2Connection } from './connection.ts'
import { linger } from '../connection/lingering-close.ts'

/** Streams that a client may have open at a time. */
const MAX_STREAMS = 200
/** `:method`, `:scheme`, `:authority`, `:path`, `:protocol`. */
const PSEUDO_HEADERS = 5

/**
 * The HTTP/2 side of a port: an `Http2Server` that never listens and gets sockets instead. Its settings are fixed at
 * creation, so a configuration that changes them creates a new one for new connections.
 */
export class Http2 {
  #settings = ''
  #server: Http2Server | undefined = undefined
  /** The connection whose session is being created: Node creates it synchronously. */
  #connecting: ClientConnection | undefined = undefined
  readonly #resets = new ResetWatch()

  configure({ http }: FrontendPolicies): void {
    const options = optionsOf(http)
    const settings = JSON.stringify(options)
    if (settings === this.#settings) return
    this.#settings = settings
    this.#server = this.#create(options, http.http2ConnectionWindowBytes)
  }

  /** Serves the requests of a stream. */
  accept(stream: Duplex, connection: ClientConnection): void {
    // Ports allow half-open connections for HTTP/1.1. In HTTP/2 the end of the client's side ends the connection.
    stream.once('end', () => stream.destroy())
    // After a GOAWAY Node ends its side, and would wait for the client's without a limit.
    stream.once('finish', () => linger(stream))
    if (stream instanceof TLSSocket) this.#resets.add(stream, () => connection.driver?.isBusy === true)
    this.#connecting = connection
    this.#server?.emit('connection', stream)
    this.#connecting = undefined
  }

  #create(options: ReturnType<typeof optionsOf>, connectionWindowBytes: number | undefined): Http2Server {
    const server = createServer(options)
    server.on('session', (session) => {
      const connection = this.#connecting
      if (!connection) return
      if (connectionWindowBytes !== undefined) session.setLocalWindowSize(connectionWindowBytes)
      const driver = new Http2Connection(connection, session)
      connection.attach(driver)
      // Not on the server: streams that are reset at once have lost their session when its event is emitted.
      session.on('stream', (stream, _headers, _flags, rawHeaders: string[]) =>
        driver.take(stream, rawHeaders),
      )
    })
    server.on('sessionError', ignore)
    return server
  }
}

const optionsOf = (http: FrontendHttp) => ({
  maxHeaderListPairs: http.maxHeaders + PSEUDO_HEADERS + 1,
  // Fields that an upstream repeats stay repeated.
  strictSingleValueFields: false,
  // Node would silently drop fields with blanks around their values: `readH2RequestHead` refuses them.
  strictFieldWhitespaceValidation: false,
  settings: {
    maxConcurrentStreams: MAX_STREAMS,
    maxHeaderListSize: http.http2MaxHeaderBytes ?? http.maxHeaderBytes,
    enableConnectProtocol: true,
    ...(http.http2WindowBytes === undefined ? {} : { initialWindowSize: http.http2WindowBytes }),
    ...(http.http2FrameBytes === undefined ? {} : { maxFrameSize: http.http2FrameBytes }),
  },
})

const ignore = (): void => undefined
