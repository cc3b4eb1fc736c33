import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../support/free-port.ts'

/** A server in its own process, which can be killed and restarted at the same address. */
export interface Replica extends AsyncDisposable {
  readonly name: string
  /** `127.0.0.1:port`. */
  readonly host: string
  /** Resolves when the process has been killed, without a graceful shutdown. */
  kill(): Promise<void>
  /** Resolves when it listens again. */
  start(): Promise<void>
}

/** Responds with its name after a short delay, so that some requests are always in flight. */
const program = `
const { createServer } = require('node:http')
const [name, port] = process.argv.slice(1)
const server = createServer((req, res) => {
  req.resume()
  setTimeout(() => res.end(name), 5)
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
`

/** Starts a server on a free port. */
export const startReplica = async (name: string): Promise<Replica> => {
  let child: ChildProcess | undefined
  // Nobody else gets it while the server is down.
  const port = await freePort()
  const start = async () => {
    const begun = spawn(process.execPath, ['-e', program, name, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = begun
    await once(createInterface(begun.stdout), 'line')
  }
  const kill = async () => {
    if (child?.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  await start()
  return { name, host: `127.0.0.1:${port}`, kill, start, [Symbol.asyncDispose]: kill }
}
