import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readObject } from './lab/apply-manifest.ts'
import { clusterProblem, startCluster } from './lab/cluster.ts'

const routes = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'httproutes.gateway.networking.k8s.io' },
}

test('an API server of a test', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster({ channel: 'standard' })

  await t.test('has the CRDs of the channel', async () => {
    const found = await readObject(cluster.kubeconfig, routes)
    assert.equal(found?.metadata?.annotations?.['gateway.networking.k8s.io/channel'], 'standard')
  })

  await t.test('comes back at the same address with what it had', async () => {
    await cluster.stopServer()
    await assert.rejects(readObject(cluster.kubeconfig, routes))
    await cluster.startServer()
    assert.equal((await readObject(cluster.kubeconfig, routes))?.metadata?.name, routes.metadata.name)
  })
})
