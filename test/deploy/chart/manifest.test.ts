import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { format, resolveConfig } from 'prettier'
import { renderChart } from '../../kubernetes/lab/chart.ts'
import { programsProblem } from '../../kubernetes/lab/programs.ts'

const path = 'deploy/kubernetes/agentgateway.yaml'

const head = `# The control plane, for kubectl apply --server-side -f. The CRDs of the Gateway API are installed before it.
# Rendered from deploy/charts/agentgateway: UPDATE_GOLDEN=1 on test/deploy/chart/manifest.test.ts writes it.
apiVersion: v1
kind: Namespace
metadata:
  name: agentgateway-system
`

// With UPDATE_GOLDEN=1 it is written.
test(
  'the manifest is what the chart renders without values',
  { skip: programsProblem(['helm']) },
  async () => {
    const rendered = await renderChart()
    // Without Helm, nothing of it is managed by Helm.
    const text = rendered.replaceAll(
      /^(# Source:| *helm\.sh\/chart:| *app\.kubernetes\.io\/managed-by:).*\n/gm,
      '',
    )
    const manifest = await format(head + text, { ...(await resolveConfig(path)), parser: 'yaml' })
    if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(path, manifest)
    assert.equal(readFileSync(path, 'utf8'), manifest)
  },
)
