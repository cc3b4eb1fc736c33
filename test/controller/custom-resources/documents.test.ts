import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { lastValueFrom } from 'rxjs'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { asApiFailure } from '../../../src/controller/api/api-failure.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { customResources } from '../../../src/controller/custom-resources/custom-resources.ts'
import { customResourceDefinition } from '../../../src/controller/schema/custom-resource.ts'
import { applyObjects, parseManifest } from '../../kubernetes/lab/apply-manifest.ts'
import { clusterProblem, startCluster } from '../../kubernetes/lab/cluster.ts'
import { waitUntilEstablished } from '../../kubernetes/lab/gateway-api.ts'
import { documentsOf, goldenFieldsOf } from '../support/documents.ts'
import { concerns, isRejectedBy, rulesOf, type SchemaRule } from '../support/schema-rules.ts'

/*
 * `test/controller/documents` has objects of each kind, as multi-document YAML. A real API server says of each whether
 * it lets it pass. Each rule has a document that it rejects (`_err`), and one that it lets pass.
 */

test('custom resources', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster({ channel: 'none' })
  const definitions = parseManifest(readFileSync('deploy/kubernetes/agentgateway-crds.yaml', 'utf8'))

  await t.test('are definitions that the API server accepts', async () => {
    await applyObjects(cluster.kubeconfig, definitions)
    await waitUntilEstablished(cluster.kubeconfig, definitions)
  })

  const client = new ApiClient(await loadClusterAccess(cluster.kubeconfig))
  t.after(() => client.close())

  for (const resource of customResources)
    await t.test(resource.kind, async (t) => {
      const documents = [...documentsOf(resource.kind), ...goldenFieldsOf(resource.kind)]
      const accepted: unknown[] = []
      const rejections: string[] = []
      for (const { name, object, rejection } of documents)
        await t.test(`${name}${rejection === undefined ? '' : `: ${rejection}`}`, async () => {
          const outcome = await create(client, resource.plural, object)
          if (rejection === undefined) {
            assert.equal(outcome.failure, undefined)
            accepted.push(outcome.object)
          } else {
            assert.ok(outcome.failure !== undefined, 'it was accepted')
            assert.ok(outcome.failure.includes(rejection), outcome.failure)
            rejections.push(outcome.failure)
          }
        })
      const rules = rulesOf(schemaOf(resource.kind))
      await t.test('has a document that each rule rejects', () => {
        const without = rules.filter((rule) => !rejections.some((failure) => isRejectedBy(rule, failure)))
        assert.deepEqual(without.map(described), [])
      })
      await t.test('has a document that each rule lets pass', () => {
        const without = rules.filter((rule) => !accepted.some((object) => concerns(rule, object)))
        assert.deepEqual(without.map(described), [])
      })
    })
})

const described = ({ message, paths }: SchemaRule): string => `${message} (${paths.join(', ')})`

const schemaOf = (kind: string) => {
  const resource = customResources.find((one) => one.kind === kind)
  const version = resource && customResourceDefinition(resource).spec.versions[0]
  if (version === undefined) throw new Error(`there is no ${kind}`)
  return version.schema.openAPIV3Schema
}

const create = async (
  client: ApiClient,
  plural: string,
  body: unknown,
): Promise<{ readonly object?: unknown; readonly failure?: string }> => {
  try {
    const path = `/apis/agentgateway.dev/v1alpha1/namespaces/default/${plural}`
    const query = { dryRun: 'All', fieldValidation: 'Strict' }
    return { object: await lastValueFrom(client.request({ method: 'POST', path, query, body })) }
  } catch (error) {
    return { failure: asApiFailure(error).message }
  }
}
