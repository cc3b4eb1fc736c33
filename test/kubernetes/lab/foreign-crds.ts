import type { KubernetesObject } from '@kubernetes/client-node'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { parseManifest } from './apply-manifest.ts'
import { cacheFolder, programsProblem, runGo } from './programs.ts'

/** The modules with the types: of the Prometheus operator, and of the VerticalPodAutoscaler. */
const moduleFolder = join(import.meta.dirname, 'go-crds')

const monitoring = 'github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring'
const autoscaler = 'k8s.io/autoscaler/vertical-pod-autoscaler'

/** Why tests with them cannot run here. */
export const foreignCrdsProblem = (): string | false =>
  programsProblem([]) || (!existsSync(cachedFolder()) && 'CRDs not generated: npm run lab -- build')

/** The CRDs of objects that the chart has and Kubernetes has not. They are generated the first time, within a minute. */
export const foreignCrds = async (): Promise<readonly KubernetesObject[]> => {
  if (!existsSync(cachedFolder())) await generate()
  const generated = globSync(join(cachedFolder(), '*_{service,pod}monitors.yaml'))
  // The types of this one alone do not make its CRD, which its module has instead.
  const published = join(await folderOf(autoscaler), 'deploy', 'vpa-v1-crd-gen.yaml')
  return [...generated.sort(), published].flatMap((path) => parseManifest(readFileSync(path, 'utf8')))
}

const generate = async (): Promise<void> => {
  // Another process never sees half of them.
  const unfinished = `${cachedFolder()}.${randomUUID()}`
  mkdirSync(unfinished, { recursive: true })
  const what = ['crd:maxDescLen=0', `paths=${monitoring}/v1`, `output:crd:dir=${unfinished}`]
  await runGo(['tool', 'controller-gen', ...what], moduleFolder)
  try {
    renameSync(unfinished, cachedFolder())
  } catch (error) {
    if (!existsSync(cachedFolder())) throw error
  }
}

const folderOf = async (module: string): Promise<string> => {
  await runGo(['mod', 'download', module], moduleFolder)
  return (await runGo(['list', '-m', '-f', '{{.Dir}}', module], moduleFolder)).trim()
}

const cachedFolder = (): string => {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(moduleFolder, file)))
  return join(cacheFolder(), `crds-${hash.digest('hex').slice(0, 16)}`)
}
