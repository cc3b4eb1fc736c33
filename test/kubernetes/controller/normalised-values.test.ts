import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastValueFrom } from 'rxjs'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import type { KubernetesObject } from '../../../src/controller/kinds/object.ts'
import { applyObject } from '../../../src/controller/sinks/apply/apply-object.ts'
import { RewriteLimit } from '../../../src/controller/sinks/rewrite-limit.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'

const labels = { app: 'web' }

/** The API server writes 1024Mi as 1Gi. */
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: 'web', image: 'web', resources: { requests: { cpu: '1000m', memory: '1024Mi' } } },
        ],
      },
    },
  },
}

test(
  'an object whose values the API server writes in another way is applied once, and no quarrel',
  { skip: clusterProblem() },
  async () => {
    await using cluster = await startCluster({ channel: 'none' })
    await using stack = new AsyncDisposableStack()
    const client = stack.adopt(new ApiClient(await loadClusterAccess(cluster.kubeconfig)), (of) => of.close())
    const manager = {
      client,
      fieldManager: 'agentgateway.dev/agentgateway',
      rewrites: new RewriteLimit<KubernetesObject>(),
    }
    const outcomes: boolean[] = []
    for (let round = 0; round < 15; round++)
      outcomes.push(await lastValueFrom(applyObject(deployment, manager)))
    assert.deepEqual(outcomes, [true, ...Array.from({ length: 14 }, () => false)])
  },
)
