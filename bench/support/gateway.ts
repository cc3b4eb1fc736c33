import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { temporaryFolder } from './temporary-folder.ts'

/** A gateway in a process of its own, started from the command line. */
export interface Gateway {
  readonly pid: number
  readonly url: string
  readonly adminUrl: string
  readonly file: string
  /** Forces a collection and returns the heap in use, in bytes. */
  heapBytes(): Promise<number>
  stop(): Promise<void>
}

/** Starts the daemon on `configuration`, whose gateway `default` has port 0. */
export const startGateway = async (configuration: string): Promise<Gateway> => {
  const file = join(temporaryFolder(), 'gateway.yaml')
  writeFileSync(file, configuration)
  const main = new URL('../../src/main.ts', import.meta.url).pathname
  const probe = new URL('heap-probe.ts', import.meta.url).href
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, main, '-f', file], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const { stdout } = child
  if (!stdout) throw new Error('the gateway has no standard output')
  const lines = createInterface({ input: stdout })
  const addresses: Record<string, string> = {}
  for await (const line of lines) {
    const [, name, url] = /(\S+) listens on (http\S+)/.exec(line) ?? []
    if (name && url) addresses[name] = url.replace('[::]', '127.0.0.1')
    if (line.includes('ready')) break
  }
  stdout.resume()
  return {
    pid: child.pid as number,
    url: addresses.default ?? '',
    adminUrl: addresses.admin ?? '',
    file,
    async heapBytes() {
      child.send('heap')
      const [bytes] = (await once(child, 'message')) as [number]
      return bytes
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Everything but the routes: free ports, the access log on or off. */
export const configuration = (routes: string, options: { accessLog?: boolean } = {}): string => `
config:
  adminAddr: 127.0.0.1:0
  statsAddr: 127.0.0.1:0
  readinessAddr: 127.0.0.1:0
  logging: { format: json }
${options.accessLog ? '' : "frontendPolicies: { accessLog: { filter: 'false' } }"}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
${routes}
`
