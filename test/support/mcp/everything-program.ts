import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../free-port.ts'

const program = new URL(
  '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  import.meta.url,
).pathname

/** The official server of everything, over streamable HTTP, as a process that can be killed. */
export interface EverythingProgram extends AsyncDisposable {
  readonly port: number
}

/** Starts it at a port, by default a free one. Disposing kills it. */
export const startEverythingProgram = async (given?: number): Promise<EverythingProgram> => {
  const port = given ?? (await freePort())
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface(child.stderr)) if (line.includes('listening on port')) break
  child.stderr.resume()
  if (child.exitCode !== null) throw new Error('the server did not start')
  return {
    port,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      if (child.kill('SIGKILL')) await gone
    },
  }
}
