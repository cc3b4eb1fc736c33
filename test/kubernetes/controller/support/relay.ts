import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A relay of TCP connections that a test can break. */
export interface Relay extends AsyncDisposable {
  readonly port: number
  /** Breaks all connections. */
  cut(): void
  /** Breaks all connections, and refuses others until it is opened. */
  close(): void
  open(): void
  /** Where connections go from now on: a port of 127.0.0.1. */
  leadTo(port: number): void
}

/** Starts a relay to a port of 127.0.0.1. */
export const startRelay = async (port: number): Promise<Relay> => {
  const sockets = new Set<Socket>()
  let target = port
  let isOpen = true
  const add = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((incoming) => {
    if (!isOpen) {
      incoming.resetAndDestroy()
      return
    }
    const outgoing = add(connect(target, '127.0.0.1'))
    add(incoming).pipe(outgoing).pipe(incoming)
    incoming.on('error', () => outgoing.destroy()).on('close', () => outgoing.destroy())
    outgoing.on('error', () => incoming.destroy()).on('close', () => incoming.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close: () => {
      isOpen = false
      cut()
    },
    open: () => {
      isOpen = true
    },
    leadTo: (other) => {
      target = other
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
