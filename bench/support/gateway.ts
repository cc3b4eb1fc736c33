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
  /** Measures turns of the event loop while `act` runs; returns how long they took. */
  turnsWhile(act: () => Promise<unknown>): Promise<Turns>
  /** Turns the samples of allocations off or on; they are on at first. */
  sampleAllocations(isOn: boolean): void
  stop(): Promise<void>
}

/** How long turns of an event loop took. */
export interface Turns {
  readonly longestMs: number
  readonly p99Ms: number
  /** The longest by the CPU time of its thread. */
  readonly longestCpuMs: number
}

/** Starts the daemon on `configuration`, whose gateway `default`, if any, has port 0. */
export const startGateway = async (
  configuration: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> => {
  const file = join(temporaryFolder(), 'gateway.yaml')
  writeFileSync(file, configuration)
  const main = new URL('../../src/main.ts', import.meta.url).pathname
  const probes = ['heap-probe.ts', 'turn-probe.ts'].flatMap((file) => [
    '--import',
    new URL(file, import.meta.url).href,
  ])
  const child = spawn(process.execPath, ['--expose-gc', ...probes, main, '-f', file], {
    env: { ...process.env, ...env },
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
    async turnsWhile(act) {
      child.send('turns')
      await act()
      child.send('turns end')
      const [turns] = (await once(child, 'message')) as [Turns]
      return turns
    },
    sampleAllocations(isOn) {
      child.send(isOn ? 'start sampling' : 'stop sampling')
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
