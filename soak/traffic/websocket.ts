import { expectOneOf, type Traffic, withTimeout } from './traffic.ts'

/** A WebSocket with three messages. Each fourth one is left open by a client that disconnects. */
export const webSocketTraffic: Traffic = {
  name: 'WebSocket',
  clients: 1,
  pauseMs: 150,
  call: ({ url }, count) =>
    withTimeout('WebSocket', async (signal) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`)
      signal.addEventListener('abort', () => socket.close())
      await new Promise<void>((resolve, reject) => {
        let received = 0
        socket.onopen = () => socket.send('0')
        socket.onmessage = ({ data }) => {
          expectOneOf('the echo', data as unknown, String(received))
          received++
          if (received < 3) socket.send(String(received))
          else if (count % 4 === 0) resolve()
          else socket.close()
        }
        socket.onclose = () => resolve()
        socket.onerror = () => reject(new Error('the WebSocket failed'))
      })
      socket.close()
      signal.throwIfAborted()
    }),
}
