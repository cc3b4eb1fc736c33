import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RecordedResponse } from '../recorded/recorded-request.ts'

/**
 * An HTTP server on loopback in place of every backend. It responds as a record says, or with an empty 200, and
 * discards what it gets.
 */
export class StandIn implements AsyncDisposable {
  /** The number of requests it got. */
  count = 0
  #response: RecordedResponse | undefined = undefined
  readonly #server: Server

  constructor() {
    this.#server = createServer((req, res) => this.#respond(req, res))
  }

  /** Opens a free port. */
  async open(): Promise<{ readonly ip: string; readonly port: number }> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, LOOPBACK, resolve)
    })
    return { ip: LOOPBACK, port: (this.#server.address() as AddressInfo).port }
  }

  /** The response to the requests that follow. */
  respondWith(response: RecordedResponse | undefined): void {
    this.#response = response
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #respond(req: IncomingMessage, res: ServerResponse): void {
    this.count++
    const { status = 200, headers = [], body } = this.#response ?? {}
    // The reply begins when the request is complete, so that the gateway sends all of it.
    req.resume().once('end', () => {
      // Switching protocols and informational responses are no responses to repeat.
      res.writeHead(
        status < 200 ? 200 : status,
        headers.filter(([name]) => !ofConnection.has(name)).flatMap(([name, value]) => [name, value]),
      )
      res.end(body)
    })
  }
}

const LOOPBACK = '127.0.0.1'

/** They belong to the recorded connection, or to the length of a body that may have been cut. */
const ofConnection = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
