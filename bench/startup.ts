import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { configuration } from './support/gateway.ts'
import { cpuUs, residentBytes, waitedMs } from './support/program.ts'
import { type Figure, median } from './support/report.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROUNDS = 9
/** A gateway that has just started still collects garbage. */
const UNTIL_IDLE_MS = 2_000
const PROGRAM = 'dist/programs/agentgateway.js'

const plain = configuration('  - policies: { directResponse: { status: 200, body: hello } }')

/** The default configuration, on free ports. */
const byDefault = (): string => {
  const text = readFileSync('config/gateway.yaml', 'utf8').replaceAll(/port: \d+/g, 'port: 0')
  return `config: { adminAddr: 127.0.0.1:0, statsAddr: 127.0.0.1:0, readinessAddr: 127.0.0.1:0 }\n${text}`
}

/** What the program of the package takes to be ready, with the compiled code of an earlier start and without. */
export const startupFigures = async (): Promise<Figure[]> => {
  if (!existsSync(PROGRAM)) throw new Error(`there is no ${PROGRAM}: npm run build`)
  return [nodeAlone(), ...(await figuresOf('plain', plain)), ...(await figuresOf('default', byDefault()))]
}

/** Tells how fast the machine is: the other figures are multiples of it. */
const nodeAlone = (): Figure => {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - began
  })
  return { name: 'startup.node.ms', value: median(times), unit: 'ms', note: 'Node alone, to its end' }
}

const figuresOf = async (name: string, text: string): Promise<Figure[]> => {
  const folder = temporaryFolder()
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, text)
  const cold: Start[] = []
  const warm: Start[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const cache = join(folder, 'compiled')
    rmSync(cache, { recursive: true, force: true })
    mkdirSync(cache, { mode: 0o700 })
    cold.push(await startOnce(file, cache))
    warm.push(await startOnce(file, cache))
  }
  const of = (starts: readonly Start[], figure: keyof Start) => median(starts.map((start) => start[figure]))
  return [
    {
      name: `startup.${name}.ms`,
      value: of(warm, 'readyMs'),
      unit: 'ms',
      note: 'until ready, without waiting for a processor that others use',
    },
    { name: `startup.${name}.wallMs`, value: of(warm, 'wallMs'), unit: 'ms', note: 'with it' },
    {
      name: `startup.${name}.cpuMs`,
      value: of(warm, 'cpuMs'),
      unit: 'ms CPU',
      note: 'of all threads, until ready',
    },
    { name: `startup.${name}.rssMb`, value: of(warm, 'rssMb'), unit: 'MB', note: 'when idle' },
    {
      name: `startup.${name}.cold.ms`,
      value: of(cold, 'readyMs'),
      unit: 'ms',
      note: 'without compiled code',
    },
    { name: `startup.${name}.cold.cpuMs`, value: of(cold, 'cpuMs'), unit: 'ms CPU' },
    { name: `startup.${name}.cold.rssMb`, value: of(cold, 'rssMb'), unit: 'MB' },
  ]
}

interface Start {
  readonly wallMs: number
  readonly readyMs: number
  readonly cpuMs: number
  readonly rssMb: number
}

const startOnce = async (file: string, cache: string): Promise<Start> => {
  const began = performance.now()
  const child = spawn(process.execPath, [PROGRAM, '-f', file], {
    env: { PATH: process.env.PATH, CONFIG_DIR: 'config', AGENTGATEWAY_COMPILE_CACHE: cache },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid as number
  const ended = once(child, 'exit')
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += String(text)
    if (output.includes('ready')) break
  }
  const wallMs = performance.now() - began
  const readyMs = wallMs - waitedMs(pid)
  const cpuMs = cpuUs(pid) / 1_000
  child.stdout.resume()
  await pause(UNTIL_IDLE_MS)
  const rssMb = residentBytes(pid) / 2 ** 20
  // The end writes the compiled code.
  child.kill('SIGTERM')
  await ended
  return { wallMs, readyMs, cpuMs, rssMb }
}
