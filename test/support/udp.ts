import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** A server for datagrams on 127.0.0.1, and what it has received. */
export interface UdpServer extends AsyncDisposable {
  readonly socket: Socket
  readonly port: number
  readonly received: { readonly datagram: Buffer; readonly from: RemoteInfo }[]
  close(): Promise<void>
}

/** @param answer Called with every datagram; by default, it comes back. */
export const udpServer = async (
  answer: (datagram: Buffer, from: RemoteInfo, socket: Socket) => void = (datagram, from, socket) =>
    socket.send(datagram, from.port, from.address),
  port = 0,
): Promise<UdpServer> => {
  const socket = createSocket('udp4')
  const received: { datagram: Buffer; from: RemoteInfo }[] = []
  socket.on('message', (datagram, from) => {
    received.push({ datagram, from })
    answer(datagram, from, socket)
  })
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    const closed = once(socket, 'close')
    socket.close()
    await closed
  }
  return {
    socket,
    port: socket.address().port,
    received,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A client that sends datagrams to one port of 127.0.0.1. */
export class UdpClientSocket implements Disposable {
  readonly socket: Socket
  readonly received: Buffer[] = []
  readonly #port: number
  #heard: (() => void) | undefined = undefined

  private constructor(socket: Socket, port: number) {
    this.socket = socket
    this.#port = port
    socket.on('message', (datagram) => {
      this.received.push(datagram)
      this.#heard?.()
    })
    socket.on('error', () => undefined)
  }

  /** @param from By default, any free port of 127.0.0.1. */
  static async to(port: number, from = { address: '127.0.0.1', port: 0 }): Promise<UdpClientSocket> {
    const socket = createSocket('udp4')
    socket.bind(from)
    await once(socket, 'listening')
    return new UdpClientSocket(socket, port)
  }

  get localPort(): number {
    return this.socket.address().port
  }

  send(datagram: string | Buffer): void {
    this.socket.send(datagram, this.#port, '127.0.0.1')
  }

  /** Sends a datagram, and resolves with the next one that is received. */
  async ask(datagram: string | Buffer): Promise<Buffer> {
    this.send(datagram)
    return this.next()
  }

  /** The next datagram that has not been taken. */
  async next(): Promise<Buffer> {
    while (this.received.length === 0)
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    return this.received.shift() as Buffer
  }

  [Symbol.dispose](): void {
    this.socket.close()
  }
}

/**
 * A port that no socket for datagrams has, at any address. It is outside of the ephemeral range, so that no other test
 * gets it by chance while it is free.
 */
export const freeUdpPort = async (): Promise<number> => {
  for (;;) {
    const socket = createSocket('udp4')
    socket.bind(LOWEST + Math.floor(Math.random() * COUNT))
    try {
      await once(socket, 'listening')
    } catch {
      continue
    }
    const { port } = socket.address()
    const closed = once(socket, 'close')
    socket.close()
    await closed
    return port
  }
}

const LOWEST = 12_000
const COUNT = 20_000
