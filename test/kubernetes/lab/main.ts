/** The command line of the lab: see README.md in this folder. */
import { parseArgs } from 'node:util'
import { buildPrograms } from './build.ts'
import { conformance, down, enter, INTERRUPTED, kubectl, reload, up } from './commands.ts'
import type { GatewayApiChannel } from './gateway-api.ts'
import { labProblem } from './lab.ts'
import { projectImage } from './project-image.ts'
import { ALL_PROFILES } from './suite.ts'

const usage = `npm run lab -- build
npm run lab -- up [--channel standard|experimental] [--installed-by-chart] [--name NAME] [--keep]
npm run lab -- down [--name NAME]
npm run lab -- reload [--installed-by-chart] [--name NAME]
npm run lab -- kubectl ARGUMENTS… | exec COMMAND…
npm run conformance -- [--profile ${ALL_PROFILES}] [--test NAME] [--channel standard|experimental]
                       [--installed-by-chart] [--fast] [--running] [--keep] [--minutes 40]
                       [--name NAME]`

const [command = '', ...rest] = process.argv.slice(2)
/** What follows is for another program, options included. */
const passesOn = command === 'kubectl' || command === 'exec'
const { values } = parseArgs({
  args: passesOn ? [] : rest,
  options: {
    channel: { type: 'string', default: 'experimental' },
    fast: { type: 'boolean', default: false },
    'installed-by-chart': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '40' },
    name: { type: 'string', default: process.env.LAB_NAME ?? 'lab' },
    profile: { type: 'string', default: ALL_PROFILES },
    running: { type: 'boolean', default: false },
    test: { type: 'string' },
  },
})
const isChannel = (text: string): text is GatewayApiChannel => text === 'standard' || text === 'experimental'
const { channel } = values
if (!isChannel(channel)) throw new Error(usage)

const interrupt = new AbortController()
/** npm passes on the Ctrl-C that a terminal has sent to this process as well: that is one, not two. */
const SAME_SIGNAL_MS = 1_000
let interruptedAt = Infinity
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A second signal ends it at once: everything in the lab ends with this process.
    if (performance.now() - interruptedAt > SAME_SIGNAL_MS) process.exit(INTERRUPTED)
    interruptedAt = Math.min(interruptedAt, performance.now())
    interrupt.abort()
  })

const options = { ...values, channel, isByChart: values['installed-by-chart'], signal: interrupt.signal }

const needLab = async (): Promise<void> => {
  await buildPrograms()
  const problem = labProblem()
  if (problem !== false) throw new Error(problem)
}

const commands: Record<string, () => Promise<number | undefined>> = {
  build: async () => {
    await buildPrograms()
    console.log((await projectImage()).root)
    return undefined
  },
  up: () =>
    needLab()
      .then(() => up(options))
      .then(() => undefined),
  down: () => down(values.name).then(() => undefined),
  reload: () => reload(values.name, options).then(() => undefined),
  exec: () => Promise.resolve(enter(values.name, rest)),
  kubectl: () => kubectl(values.name, rest),
  conformance: () =>
    needLab().then(() =>
      conformance({ ...options, test: values.test, limitMinutes: Number(values.minutes) }),
    ),
}

try {
  const run = commands[command]
  if (!run) throw new Error(usage)
  process.exitCode = (await run()) ?? 0
} catch (error) {
  const isInterrupted = error instanceof Error && error.name === 'AbortError'
  if (!isInterrupted) console.error(error instanceof Error ? error.message : error)
  process.exitCode = isInterrupted ? INTERRUPTED : 1
}
