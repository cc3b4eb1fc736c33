import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { parseManifest } from '../../kubernetes/lab/apply-manifest.ts'
import { crdsChartFolder, runHelm } from '../../kubernetes/lab/chart.ts'
import { programsProblem } from '../../kubernetes/lab/programs.ts'

test('the chart of the custom resources', { skip: programsProblem(['helm']) }, async (t) => {
  const render = (...args: readonly string[]) =>
    runHelm(['template', 'agentgateway-crds', crdsChartFolder, '--namespace', 'agentgateway-system', ...args])

  await t.test('passes helm lint', async () => {
    assert.match(
      await runHelm(['lint', '--strict', crdsChartFolder]),
      /1 chart\(s\) linted, 0 chart\(s\) failed/,
    )
  })

  await t.test('has the definitions of the manifest, which stay when it is uninstalled', async () => {
    const manifest = parseManifest(readFileSync('deploy/kubernetes/agentgateway-crds.yaml', 'utf8'))
    const kept = manifest.map((object) => ({
      ...object,
      metadata: { ...(object.metadata as object), annotations: { 'helm.sh/resource-policy': 'keep' } },
    }))
    assert.deepEqual(parseManifest(await render()), kept)
    assert.deepEqual(
      manifest.map(({ metadata }) => metadata?.name),
      ['proxybackends', 'proxymodels', 'proxyparameters', 'proxypolicies'].map(
        (name) => `${name}.agentgateway.dev`,
      ),
    )
  })

  await t.test('refuses values, of which it has none', async () => {
    await assert.rejects(render('--set', 'install=false'), /install/)
  })

  await t.test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
    const chart = parse(readFileSync(`${crdsChartFolder}/Chart.yaml`, 'utf8')) as Record<string, unknown>
    assert.deepEqual([chart.version, chart.appVersion], [version, version])
  })
})
