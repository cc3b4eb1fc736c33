/**
 * Opens connections that stay: `PARKED` with a request to `/park`, which gets no response, and `IDLE` that had one. Says
 * when all are open, and keeps them until the program ends.
 */
import net from 'node:net'

const port = Number(process.env.PORT)
const open = (path: string, isDone: (text: string) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.on('connect', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\n\r\n`)
      if (isDone('')) resolve()
    })
    socket.on('data', (chunk: Buffer) => {
      if (isDone(chunk.toString('latin1'))) resolve()
    })
  })

const openAll = async (count: number, path: string, isDone: (text: string) => boolean): Promise<void> => {
  // A few at a time: the backlog of a listening socket is short.
  for (let i = 0; i < count; i += 100)
    await Promise.all(Array.from({ length: Math.min(100, count - i) }, () => open(path, isDone)))
}

await openAll(Number(process.env.IDLE), '/direct', (text) => text.includes('200 OK'))
await openAll(Number(process.env.PARKED), '/park', () => true)
process.send?.({ port: 0 })
