import { connect } from 'node:http2'
import { expectOneOf, type Traffic, withTimeout } from './traffic.ts'

/** A connection with ten streams, some of which are reset. Each third connection is destroyed with open streams. */
export const http2Traffic: Traffic = {
  name: 'HTTP/2',
  clients: 1,
  pauseMs: 200,
  call: ({ url }, count) =>
    withTimeout('HTTP/2', async (signal) => {
      const session = connect(url)
      session.on('error', () => undefined)
      const abort = (): void => {
        session.destroy()
      }
      signal.addEventListener('abort', abort)
      const isVanishing = count % 3 === 0
      const streams = Array.from({ length: 10 }, (_, i) => i)
      const statuses = await Promise.all(
        streams.map(
          (i) =>
            new Promise<number | undefined>((resolve, reject) => {
              const stream = session.request({ ':path': i % 3 === 0 ? '/events' : '/ok' })
              let status: number | undefined
              stream.on('response', (headers) => (status = headers[':status']))
              stream.on('data', () => {
                if (i % 3 === 0) stream.close(8)
              })
              stream.once('close', () => resolve(status))
              stream.once('error', (error: Error) =>
                isVanishing || i % 3 === 0 ? resolve(status) : reject(error),
              )
              if (isVanishing && i === 9) setTimeout(abort, 20)
            }),
        ),
      )
      signal.removeEventListener('abort', abort)
      signal.throwIfAborted()
      session.close()
      if (!isVanishing) for (const status of statuses) expectOneOf('the status', status, 200)
    }),
}
