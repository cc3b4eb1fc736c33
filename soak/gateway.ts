import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The resources that a gateway uses at one time. */
export interface ResourceUse {
  /** After a forced collection. */
  readonly heapBytes: number
  readonly residentBytes: number
  readonly descriptors: number
  readonly children: number
  readonly exchanges: number
}

/** A gateway in a process of its own. */
export interface SoakGateway {
  readonly urls: Readonly<Record<string, string>>
  /** Log lines at level `error`, except refused configurations. */
  readonly errors: readonly string[]
  /** Replaces its configuration file. */
  write(configuration: string): void
  resourceUse(): Promise<ResourceUse>
  /** Ends it as an operator would. Returns its exit code. */
  stop(): Promise<number | null>
}

const main = process.env.DAEMON_IN_ONE_FILE ?? fileURLToPath(new URL('../src/main.ts', import.meta.url))
const probe = new URL('../bench/support/heap-probe.ts', import.meta.url).href

/** Starts the gateway on a configuration, and resolves when it is ready. */
export const startSoakGateway = async (configuration: string): Promise<SoakGateway> => {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'))
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, configuration)
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, main, '-f', file], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const pid = child.pid as number
  const urls: Record<string, string> = {}
  const errors: string[] = []
  await new Promise<void>((resolve, reject) => {
    exited.then(() => reject(new Error('the gateway ended')), reject)
    if (!child.stdout) throw new Error('the gateway has no standard output')
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, name, url] = /^(\S+) listens on (http\S+)/.exec(line) ?? []
      if (name !== undefined && url !== undefined) urls[name] = url
      else if (line.startsWith('ready')) resolve()
      else if (line.includes('"level":"error"') && !line.includes('Failed to reload config'))
        errors.push(line)
    })
  })
  return {
    urls,
    errors,
    write: (next) => {
      writeFileSync(`${file}.next`, next)
      renameSync(`${file}.next`, file)
    },
    resourceUse: async () => {
      child.send('heap')
      const [heapBytes] = (await once(child, 'message')) as [number]
      return {
        heapBytes,
        residentBytes: residentBytes(pid),
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        children: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length,
        exchanges: await exchangesInFlight(urls.stats ?? ''),
      }
    },
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      rmSync(folder, { recursive: true })
      return code
    },
  }
}

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

const exchangesInFlight = async (statsUrl: string): Promise<number> => {
  const metrics = await (await fetch(`${statsUrl}/metrics`)).text()
  return Number(/^agentgateway_exchanges_in_flight(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1])
}
