import { createServer, type Http2Server } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { FrontendHttp, FrontendPolicies } from '../../model/frontend-policies.ts'
import type { ClientConnection } from './client-connection.ts'
import { Http2Conversation } from './h2-conversation.ts'

/** Streams that a client may have open at a time. */
const MAX_STREAMS = 200
/** `:method`, `:scheme`, `:authority`, `:path`, `:protocol`. */
const PSEUDO_HEADERS = 5

/**
 * The HTTP/2 side of a port: an `Http2Server` that never listens and is handed sockets instead. Its settings are fixed
 * when it is made, so that a configuration that changes them gets a new one, for new connections.
 */
export class Http2 {
  #settings = ''
  #server: Http2Server | undefined = undefined
  /** The connection whose session is being made: Node makes it while it is handed the socket. */
  #arriving: ClientConnection | undefined = undefined

  configure({ http }: FrontendPolicies): void {
    const options = optionsOf(http)
    const settings = JSON.stringify(options)
    if (settings === this.#settings) return
    this.#settings = settings
    this.#server = this.#create(options, http.http2ConnectionWindowBytes)
  }

  /** Serves the requests that arrive on a stream. */
  accept(stream: Duplex, connection: ClientConnection): void {
    this.#arriving = connection
    this.#server?.emit('connection', stream)
    this.#arriving = undefined
  }

  #create(options: ReturnType<typeof optionsOf>, connectionWindowBytes: number | undefined): Http2Server {
    const server = createServer(options)
    server.on('session', (session) => {
      const connection = this.#arriving
      if (!connection) return
      if (connectionWindowBytes !== undefined) session.setLocalWindowSize(connectionWindowBytes)
      const conversation = new Http2Conversation(connection, session)
      connection.conversation = conversation
      // Not on the server: streams that are reset at once have lost their session by the time that it hears of them.
      session.on('stream', (stream, _headers, _flags, rawHeaders: string[]) =>
        conversation.take(stream, rawHeaders),
      )
    })
    server.on('sessionError', ignore)
    return server
  }
}

const optionsOf = (http: FrontendHttp) => ({
  maxHeaderListPairs: http.maxHeaders + PSEUDO_HEADERS + 1,
  // What an upstream repeats is repeated.
  strictSingleValueFields: false,
  settings: {
    maxConcurrentStreams: MAX_STREAMS,
    maxHeaderListSize: http.http2MaxHeaderBytes ?? http.maxHeaderBytes,
    enableConnectProtocol: true,
    ...(http.http2WindowBytes === undefined ? {} : { initialWindowSize: http.http2WindowBytes }),
    ...(http.http2FrameBytes === undefined ? {} : { maxFrameSize: http.http2FrameBytes }),
  },
})

const ignore = (): void => undefined
