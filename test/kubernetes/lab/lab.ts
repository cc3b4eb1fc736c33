import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import type { GatewayApiChannel } from './gateway-api.ts'
import { writeImages } from './images.ts'
import { labProgramNames, programPath, programsProblem } from './programs.ts'
import { runWithInput } from './run-with-input.ts'

/** How a lab is made. */
export interface LabOptions {
  /** Labs of different names may run side by side. Default: `lab`. */
  readonly name?: string
  readonly channel?: GatewayApiChannel
  /** Versions of the project besides that of the checkout: what the tag `v` and a version of its images means. */
  readonly otherVersions?: readonly string[]
  /** Whether the folder with logs stays. */
  readonly keep?: boolean
  /** Cancels the start. */
  readonly signal?: AbortSignal
}

/** What can be done with a lab that runs. */
export interface LabAccess {
  /** kubeconfig, logs, images. */
  readonly folder: string
  readonly kubeconfig: string
  /** Puts a command into the namespaces of the lab. */
  enter(command: readonly string[]): readonly string[]
  /** Runs kubectl and returns its output. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>
}

/** A cluster of one node in namespaces of its own. */
export interface Lab extends LabAccess, AsyncDisposable {
  /** Rejects if the lab ends by itself. */
  readonly broken: Promise<never>
  /** Leaves the logs where they are. */
  keepFolder(): void
}

/** Why there can be no lab here, as the `skip` of a test. */
export const labProblem = (): string | false => {
  if (process.getuid?.() !== 0) return 'the Kubernetes lab needs root, for network namespaces'
  const programs = ['unshare', 'nsenter', 'flock', 'setpriv', 'ip', 'nft', 'sysctl', 'openssl']
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length > 0) return `the Kubernetes lab needs ${missing.join(', ')}`
  return programsProblem(labProgramNames)
}

const isInstalled = (program: string): boolean =>
  [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].some((folder) =>
    existsSync(join(folder, program)),
  )

/** The lab of a name that runs already. */
export const findLab = (name = 'lab'): LabAccess => {
  const folder = folderOf(name)
  const pid = pidOf(folder)
  if (pid === undefined) throw new Error(`no lab ${name} is running: npm run lab -- up`)
  return access(folder, pid)
}

/** Ends a lab that another process has started. */
export const stopLab = async (name?: string): Promise<void> => {
  const { folder } = findLab(name)
  process.kill(Number(readFileSync(ownerFile(folder), 'utf8')), 'SIGTERM')
  await eventually('the lab has ended', () => !existsSync(pidFile(folder)) || undefined)
}

/** Starts a lab: about 15 seconds after the first build of its programs. */
export const startLab = async ({
  name = 'lab',
  channel = 'experimental',
  otherVersions = [],
  keep = false,
  signal,
}: LabOptions = {}): Promise<Lab> => {
  const folder = folderOf(name)
  if (pidOf(folder) !== undefined) throw new Error(`a lab ${name} is running already`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await writeImages(folder, otherVersions)
  for (const program of labProgramNames) await programPath(program)
  const child = startNode(folder, channel)
  writeFileSync(pidFile(folder), String(child.pid))
  writeFileSync(ownerFile(folder), String(process.pid))
  const ended = once(child, 'exit')
  let keeps = keep
  const broken = ended.then(() => {
    throw new Error(`the lab ended: see ${join(folder, 'logs')}`)
  })
  broken.catch(() => undefined)
  const lab: Lab = {
    ...access(folder, child.pid ?? 0),
    broken,
    keepFolder() {
      keeps = true
    },
    async [Symbol.asyncDispose]() {
      // Killed from outside, programs in there could still write files after the folder has been removed.
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
      await ended
      clearTimeout(timer)
      for (const name of readdirSync(folder))
        if (!keeps || name !== 'logs')
          rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
      if (!keeps) rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await Promise.race([once(child, 'message', signal && { signal }), broken])
  } catch (error) {
    await lab[Symbol.asyncDispose]()
    throw error
  }
  return lab
}

/** Everything in there ends with the first process, and that with this one, even if this one is killed. */
const startNode = (folder: string, channel: GatewayApiChannel): ChildProcess => {
  const namespaces = ['--net', '--mount', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']
  const script = join(import.meta.dirname, 'node.ts')
  const command = ['unshare', ...namespaces, process.execPath, script, folder, channel]
  return spawn('setpriv', ['--pdeathsig=KILL', '--', ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TMPDIR: folder },
    // Ctrl-C is for this process, which then ends the lab.
    detached: true,
  })
}

const END_MS = 20_000

const folderOf = (name: string): string => join(tmpdir(), `agentgateway-lab-${name}`)

const pidFile = (folder: string): string => join(folder, 'pid')

const ownerFile = (folder: string): string => join(folder, 'owner')

const pidOf = (folder: string): number | undefined => {
  if (!existsSync(pidFile(folder))) return undefined
  const pid = Number(readFileSync(pidFile(folder), 'utf8'))
  // A process of another program may have the number of one that has gone.
  return existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)
    ? pid
    : undefined
}

const access = (folder: string, pid: number): LabAccess => {
  const kubeconfig = join(folder, 'kubeconfig')
  const namespaces = `/proc/${pid}/ns`
  const enter = (command: readonly string[]) => [
    'nsenter',
    `--net=${namespaces}/net`,
    `--mount=${namespaces}/mnt`,
    `--pid=${namespaces}/pid_for_children`,
    // Entering a mount namespace leads to its root.
    `--wdns=${process.cwd()}`,
    '--',
    ...command,
  ]
  return {
    folder,
    kubeconfig,
    enter,
    async kubectl(args, input = '') {
      const [program = '', ...rest] = enter([
        await programPath('kubectl'),
        `--kubeconfig=${kubeconfig}`,
        ...args,
      ])
      return runWithInput(program, rest, input)
    },
  }
}
