import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The Go module of the lab. */
const moduleFolder = join(import.meta.dirname, 'go')

/** That of Helm, which needs older modules of Kubernetes. */
const helmFolder = join(import.meta.dirname, 'go-helm')

/** That of the Gateway API inference extension, which needs others again. */
const inferenceFolder = join(import.meta.dirname, 'go-inference')

/** Package of each program. */
const packages = {
  etcd: './cmd/etcd',
  'kube-apiserver': './cmd/kube-apiserver',
  'kube-controller-manager': './cmd/kube-controller-manager',
  kubectl: './cmd/kubectl',
  kubelet: './cmd/kubelet',
  'echo-basic': 'sigs.k8s.io/gateway-api/conformance/echo-basic',
  conformance: './suite',
  helm: 'helm.sh/helm/v3/cmd/helm',
  'inference-conformance': './suite',
  'endpoint-picker': 'sigs.k8s.io/gateway-api-inference-extension/cmd/epp',
} as const

/** A program of the lab, built from published Go modules. */
export type ProgramName = keyof typeof packages

/** Those that are built when a run needs them: the suite of the inference extension and its picker. */
export const inferenceProgramNames = ['inference-conformance', 'endpoint-picker'] as const

/** All others. */
export const programNames = (Object.keys(packages) as readonly ProgramName[]).filter(
  (name) => !inferenceProgramNames.some((one) => one === name),
)

/** Those that a lab needs; charts are rendered outside of it. */
export const labProgramNames = programNames.filter((name) => name !== 'helm')

const folderOf = (name: ProgramName): string => {
  if (name === 'helm') return helmFolder
  return inferenceProgramNames.some((one) => one === name) ? inferenceFolder : moduleFolder
}

/** Whether a program is in the cache. */
export const isBuilt = (name: ProgramName): boolean => existsSync(cachedPath(name))

/** The version of a module, in the go.mod of a folder. */
const moduleVersion = (folder: string, module: string): string => {
  const lines = readFileSync(join(folder, 'go.mod'), 'utf8').split('\n')
  const words = lines.map((line) =>
    line
      .trim()
      .replace(/^require /, '')
      .split(' '),
  )
  const version = words.find(([name]) => name === module)?.[1]
  if (version === undefined) throw new Error(`go.mod has no version of ${module}`)
  return version
}

/** Go, from the PATH or from where its installer puts it. */
const go = (): string | undefined =>
  [...(process.env.PATH ?? '').split(':'), '/usr/local/go/bin']
    .map((folder) => join(folder, 'go'))
    .find((path) => existsSync(path))

/** Outside of the repository, so that all checkouts of one user share what took minutes to build. */
export const cacheFolder = (): string =>
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agentgateway', 'kubernetes-lab')

/** Runs Go in a folder with a module; that of the lab by default. */
export const runGo = async (args: readonly string[], cwd = moduleFolder): Promise<string> => {
  const program = go()
  if (program === undefined) throw new Error('Go is not installed: see https://go.dev/doc/install')
  const { stdout } = await run(program, args, {
    cwd,
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

const linkerFlags = (name: ProgramName): string =>
  [
    '-s',
    '-w',
    ...Object.entries(linkerValues(name)).map(([variable, value]) => `-X ${variable}=${value}`),
  ].join(' ')

/** What the programs report of themselves. All are of one release of Kubernetes, and Helm renders for that. */
const linkerValues = (name: ProgramName): Readonly<Record<string, string>> => {
  const version = moduleVersion(moduleFolder, 'k8s.io/kubernetes')
  const [, minor = ''] = version.split('.')
  const component = 'k8s.io/component-base/version.git'
  if (name !== 'helm')
    return {
      [`${component}Version`]: version,
      [`${component}Major`]: '1',
      [`${component}Minor`]: minor,
      [`${component}TreeState`]: 'clean',
    }
  const helm = 'helm.sh/helm/v3'
  return {
    [`${helm}/internal/version.version`]: moduleVersion(helmFolder, helm),
    [`${helm}/pkg/chartutil.k8sVersionMajor`]: '1',
    [`${helm}/pkg/chartutil.k8sVersionMinor`]: minor,
    [`${helm}/pkg/lint/rules.k8sVersionMajor`]: '1',
    [`${helm}/pkg/lint/rules.k8sVersionMinor`]: minor,
  }
}

/** Changes with what the program is made of: the versions of modules, and its own sources. */
const keyOf = (name: ProgramName): string => {
  const hash = createHash('sha256').update(process.arch).update(linkerFlags(name))
  const folder = folderOf(name)
  const own = packages[name].startsWith('.')
    ? globSync(`${packages[name]}/**/*.go`, { cwd: folder }).sort()
    : []
  for (const path of ['go.mod', 'go.sum', ...own])
    hash.update(`\0${path}\0`).update(readFileSync(join(folder, path)))
  return hash.digest('hex').slice(0, 16)
}

const build = async (name: ProgramName, path: string): Promise<void> => {
  mkdirSync(cacheFolder(), { recursive: true })
  // Builds of two processes at once cost time, but neither sees half a file.
  const unfinished = `${path}.${randomUUID()}`
  const command = name.endsWith('conformance') ? ['test', '-c'] : ['build']
  const flags = [`-ldflags=${linkerFlags(name)}`, '-o', unfinished]
  await runGo([...command, ...flags, packages[name]], folderOf(name))
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
export const goModuleFolder = (module: string): Promise<string> => downloaded(module, moduleFolder)

/** The folder of the Gateway API inference extension. */
export const inferenceExtensionFolder = (): Promise<string> =>
  downloaded('sigs.k8s.io/gateway-api-inference-extension', inferenceFolder)

const downloaded = async (module: string, cwd: string): Promise<string> => {
  await runGo(['mod', 'download', module], cwd)
  return (await runGo(['list', '-m', '-f', '{{.Dir}}', module], cwd)).trim()
}
