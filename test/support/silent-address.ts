import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'

/** An address that does not answer connection attempts, as that of a host that has gone. */
export interface SilentAddress extends AsyncDisposable {
  readonly port: number
}

/**
 * A port of 127.0.0.1 whose queue of connections is full: the system discards further attempts. The thread that
 * listens accepts nothing.
 */
export const silentAddress = async (): Promise<SilentAddress> => {
  const worker = new Worker(LISTENER, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  const queued = Array.from({ length: QUEUED }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await once(queued[0]!, 'connect')
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of queued) socket.destroy()
      await worker.terminate()
    },
  }
}

/** More than a queue for one connection takes. */
const QUEUED = 8

const LISTENER = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`
