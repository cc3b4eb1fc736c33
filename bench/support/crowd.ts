/**
 * Twenty connections that send requests one at a time (`MODE=single`), or far ahead of the responses
 * (`MODE=pipelining`), until the program ends.
 */
import net from 'node:net'

const CONNECTIONS = 20
const url = new URL(process.env.TARGET ?? '')
const request = Buffer.from(`GET ${url.pathname} HTTP/1.1\r\nhost: bench\r\n\r\n`)
const many = Buffer.concat(Array.from({ length: 2_000 }, () => request))
const END = Buffer.from('HTTP/1.1 ')

const ask = (): void => {
  const socket = net.connect(Number(url.port), '127.0.0.1')
  socket.on('error', () => undefined).on('close', () => setImmediate(ask))
  if (process.env.MODE === 'pipelining') {
    const more = () => {
      while (!socket.destroyed && socket.write(many));
    }
    socket.on('connect', more).on('drain', more).resume()
    return
  }
  socket.on('connect', () => socket.write(request))
  socket.on('data', (chunk) => {
    if (chunk.includes(END)) socket.write(request)
  })
}

for (let i = 0; i < CONNECTIONS; i++) ask()
process.send?.({ port: 0 })
