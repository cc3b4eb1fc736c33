import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The Go module of the lab. */
const moduleFolder = join(import.meta.dirname, 'go')

/** Package of each program. */
const packages = {
  etcd: './cmd/etcd',
  'kube-apiserver': './cmd/kube-apiserver',
  'kube-controller-manager': './cmd/kube-controller-manager',
  kubectl: './cmd/kubectl',
  kubelet: './cmd/kubelet',
  'echo-basic': 'sigs.k8s.io/gateway-api/conformance/echo-basic',
  conformance: './suite',
} as const

/** A program of the lab, built from published Go modules. */
export type ProgramName = keyof typeof packages

/** All of them. */
export const programNames = Object.keys(packages) as readonly ProgramName[]

/** Release of Kubernetes that the programs report; the version of `k8s.io/kubernetes` in go.mod. */
const kubernetesVersion = (): string => {
  const version = /k8s\.io\/kubernetes (v1\.\d+\.\d+)/.exec(
    readFileSync(join(moduleFolder, 'go.mod'), 'utf8'),
  )?.[1]
  if (version === undefined) throw new Error('go.mod has no version of k8s.io/kubernetes')
  return version
}

/** Go, from the PATH or from where its installer puts it. */
const go = (): string | undefined =>
  [...(process.env.PATH ?? '').split(':'), '/usr/local/go/bin']
    .map((folder) => join(folder, 'go'))
    .find((path) => existsSync(path))

/** Outside of the repository, so that all checkouts of one user share what took minutes to build. */
const cacheFolder = (): string =>
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agentgateway', 'kubernetes-lab')

const runGo = async (args: readonly string[]): Promise<string> => {
  const program = go()
  if (program === undefined) throw new Error('Go is not installed: see https://go.dev/doc/install')
  const { stdout } = await run(program, args, {
    cwd: moduleFolder,
    env: {
      ...process.env,
      CGO_ENABLED: '0',
      GOTOOLCHAIN: 'local',
      GOFLAGS: '-mod=readonly -buildvcs=false -trimpath',
    },
    maxBuffer: 64 << 20,
  })
  return stdout
}

const linkerFlags = (): string => {
  const version = kubernetesVersion()
  const [, minor = ''] = version.split('.')
  const variable = 'k8s.io/component-base/version.git'
  const values = { Version: version, Major: '1', Minor: minor, TreeState: 'clean' }
  return [
    '-s',
    '-w',
    ...Object.entries(values).map(([name, value]) => `-X ${variable}${name}=${value}`),
  ].join(' ')
}

/** Changes with what the program is made of: the versions of modules, and its own sources. */
const keyOf = (name: ProgramName): string => {
  const hash = createHash('sha256').update(process.arch).update(linkerFlags())
  const own = packages[name].startsWith('.')
    ? globSync(`${packages[name]}/**/*.go`, { cwd: moduleFolder }).sort()
    : []
  for (const path of ['go.mod', 'go.sum', ...own])
    hash.update(`\0${path}\0`).update(readFileSync(join(moduleFolder, path)))
  return hash.digest('hex').slice(0, 16)
}

const build = async (name: ProgramName, path: string): Promise<void> => {
  mkdirSync(cacheFolder(), { recursive: true })
  // Builds of two processes at once cost time, but neither sees half a file.
  const unfinished = `${path}.${randomUUID()}`
  const command = name === 'conformance' ? ['test', '-c'] : ['build']
  await runGo([...command, `-ldflags=${linkerFlags()}`, '-o', unfinished, packages[name]])
  renameSync(unfinished, path)
}

const building = new Map<string, Promise<void>>()

/**
 * Why tests with these programs cannot run here. A test does not build: that takes minutes, and more than a test may.
 *
 * @example test('a watch', { skip: programsProblem(['etcd', 'kube-apiserver']) }, async () => {})
 */
export const programsProblem = (names: readonly ProgramName[]): string | false => {
  if (process.platform !== 'linux') return 'the Kubernetes lab needs Linux'
  if (go() === undefined) return 'the Kubernetes lab needs Go'
  const missing = names.filter((name) => !existsSync(cachedPath(name)))
  return missing.length > 0 && `${missing.join(', ')} not built: npm run lab -- build`
}

const cachedPath = (name: ProgramName): string => join(cacheFolder(), `${name}-${keyOf(name)}`)

/** The path of a program, built first if it is not in the cache: minutes the first time, nothing afterwards. */
export const programPath = async (name: ProgramName): Promise<string> => {
  const path = cachedPath(name)
  if (existsSync(path)) return path
  const pending = building.get(path) ?? build(name, path)
  building.set(path, pending)
  await pending
  return path
}

/** The folder of a Go module among the dependencies of the lab. */
export const goModuleFolder = async (module: string): Promise<string> => {
  await runGo(['mod', 'download', module])
  return (await runGo(['list', '-m', '-f', '{{.Dir}}', module])).trim()
}
