import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An address that is known before its target, like the address of a pod. */
export interface ReplicaRelay extends AsyncDisposable {
  readonly origin: string
  /** All bytes towards the replica, as text. */
  readonly receivedText: () => string
  /** Open connections. */
  readonly open: () => number
  relayTo(origin: string): void
  /** Closes its earlier connections. */
  cut(): void
}

/** Opens one; it refuses connections at first. */
export const openReplicaRelay = async (): Promise<ReplicaRelay> => {
  let port: number | undefined
  let received = ''
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    if (port === undefined) {
      incoming.destroy()
      return
    }
    const onward = connect(port, '127.0.0.1')
    sockets.add(incoming)
    incoming.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
    incoming.pipe(onward).pipe(incoming)
    const end = (): void => {
      sockets.delete(incoming)
      incoming.destroy()
      onward.destroy()
    }
    for (const socket of [incoming, onward]) socket.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    receivedText: () => received,
    open: () => sockets.size,
    relayTo: (origin) => {
      port = Number(new URL(origin).port)
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}
