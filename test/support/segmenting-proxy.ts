import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'

/** A proxy to a port of this process. */
export interface SegmentingProxy extends AsyncDisposable {
  readonly port: number
}

/**
 * Forwards what clients send in pieces of so many bytes. A server in this process receives each by itself: the event
 * loop comes to its socket before the next is written.
 */
export const startSegmentingProxy = async (target: number, bytes: number): Promise<SegmentingProxy> => {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: target, noDelay: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => [client, upstream].map((one) => one.destroy()))
    }
    upstream.pipe(client)
    void forward(client, upstream, bytes).catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const forward = async (from: Socket, to: Socket, bytes: number): Promise<void> => {
  for await (const chunk of from as AsyncIterable<Buffer>)
    for (let at = 0; at < chunk.length; at += bytes) {
      await new Promise<void>((resolve, reject) => {
        to.write(chunk.subarray(at, at + bytes), (error) => (error ? reject(error) : resolve()))
      })
      await setImmediate()
    }
}
