import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { parseManifest } from '../kubernetes/lab/apply-manifest.ts'
import { readDockerfile } from '../support/image/dockerfile.ts'

/** The user of each container of the Deployments in a list of objects. */
const usersOf = (objects: readonly object[]): readonly unknown[] =>
  (objects as readonly Workload[])
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => spec.template.spec.containers)
    .map(({ securityContext }) => securityContext?.runAsUser)

interface Workload {
  readonly kind: string
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly securityContext?: { readonly runAsUser?: number } }[]
      }
    }
  }
}

const text = (path: string) => readFileSync(path, 'utf8')

// Compiled code is kept for one user: pods of another one would start without, and nothing would say so.
test('the image, the chart, the manifest and the proxies of Gateways have one user', () => {
  const USER = 10101
  for (const { image, instructions } of readDockerfile(text('Dockerfile'))) {
    for (const { word, rest } of instructions) {
      const [, owner] = /--chown=(\S+)/.exec(rest) ?? []
      if (word === 'USER' || owner !== undefined) assert.equal(owner ?? rest, `${USER}:${USER}`, image)
    }
  }
  const proxies = parse(text('test/controller/translate/deployment/golden/tls-default/out.yaml')) as {
    readonly objects: readonly object[]
  }
  const rendered = parseManifest(text('test/deploy/chart/golden/defaults/out.yaml'))
  assert.deepEqual(
    {
      chart: usersOf(rendered),
      manifest: usersOf(parseManifest(text('deploy/kubernetes/agentgateway.yaml'))),
      proxies: usersOf(proxies.objects),
    },
    { chart: [USER], manifest: [USER], proxies: [USER] },
  )
})
