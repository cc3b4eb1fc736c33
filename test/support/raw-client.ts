import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An HTTP/1.1 client on byte level, which can send what no library would. */
export class RawClient implements Disposable {
  readonly socket: Socket
  /** Everything received so far, as Latin-1. */
  received = ''
  /** The server has ended or reset the connection. */
  closed = false
  #waiting: (() => void)[] = []

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1')
      this.#wake()
    })
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.closed = true
        this.#wake()
      })
  }

  /** Connects to a port of this machine. It keeps its side open until told otherwise, by `allowHalfOpen`. */
  static async to(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const client = new RawClient(socket)
    try {
      await once(socket, 'connect')
    } catch (error) {
      // A server may reset a connection before this side has seen that it is open.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    }
    return client
  }

  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** Resolves once `pattern` has been received; rejects if the connection ends before. */
  async until(pattern: RegExp | string): Promise<string> {
    const fits = () =>
      typeof pattern === 'string' ? this.received.includes(pattern) : pattern.test(this.received)
    while (!fits()) {
      if (this.closed) throw new Error(`closed before ${String(pattern)} came:\n${this.received}`)
      await this.#something()
    }
    return this.received
  }

  /** Resolves with everything received, when the server has ended the connection. */
  async end(): Promise<string> {
    while (!this.closed) await this.#something()
    return this.received
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }

  #something(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) one()
  }
}

/** Statuses of the responses in a text, including informational ones. */
export const statusesIn = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
