import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPages } from '../../support/pages.ts'
import { applyObjects, parseManifest } from '../lab/apply-manifest.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { installCrds } from '../lab/gateway-api.ts'
import { inferenceExtensionFolder } from '../lab/programs.ts'

/* What readers of the documentation copy, one block or one file at a time. */

type Objects = ReturnType<typeof parseManifest>

interface Manifest {
  readonly name: string
  readonly objects: Objects
}

const blocks: readonly Manifest[] = readPages().flatMap(({ path, blocks }) =>
  blocks
    .filter(({ language, code }) => language === 'yaml' && /^kind: /m.test(code))
    .map(({ line, code }) => ({ name: `${path}:${line}`, objects: parseManifest(code) })),
)

const files: readonly Manifest[] = globSync('examples/kubernetes*/*.yaml')
  .toSorted()
  .map((path) => ({ name: path, objects: parseManifest(readFileSync(path, 'utf8')) }))

const crds = async (): Promise<Objects> => {
  const folder = join(await inferenceExtensionFolder(), 'config', 'crd', 'bases')
  return [
    'deploy/kubernetes/agentgateway-crds.yaml',
    join(folder, 'inference.networking.k8s.io_inferencepools.yaml'),
  ].flatMap((path) => parseManifest(readFileSync(path, 'utf8')))
}

test(
  'every manifest of the documentation is what an API server takes',
  { skip: clusterProblem() },
  async () => {
    const manifests = [...blocks, ...files]
    assert.ok(blocks.length > 14 && files.length > 10, `${blocks.length} blocks, ${files.length} files`)
    const namespaces = new Set(
      manifests.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata?.namespace ?? [])),
    )
    await using cluster = await startCluster({ channel: 'standard' })
    await installCrds(cluster.kubeconfig, [
      ...(await crds()),
      ...[...namespaces].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ])
    const refused: string[] = []
    for (const { name, objects } of manifests)
      await applyObjects(cluster.kubeconfig, objects, { dryRun: 'All', fieldValidation: 'Strict' }).catch(
        (error: unknown) => refused.push(`${name}: ${String(error)}`),
      )
    assert.deepEqual(refused, [])
  },
)
