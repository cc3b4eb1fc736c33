import assert from 'node:assert/strict'
import { cp, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parseManifest } from '../../kubernetes/lab/apply-manifest.ts'
import { chartFolder, crdsChartFolder, runHelm } from '../../kubernetes/lab/chart.ts'
import { programsProblem } from '../../kubernetes/lab/programs.ts'

test('a chart that depends on the charts', { skip: programsProblem(['helm']) }, async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'parent-'))
  const names = [chartFolder, crdsChartFolder].map((path) => basename(path))
  const dependencies = names.map((name) => ({ name, version: '*', condition: `${name}.enabled` }))
  await mkdir(join(folder.path, 'charts'))
  for (const path of [chartFolder, crdsChartFolder])
    await cp(path, join(folder.path, 'charts', basename(path)), { recursive: true })
  const chart = { apiVersion: 'v2', name: 'parent', version: '1.0.0', dependencies }
  await writeFile(join(folder.path, 'Chart.yaml'), JSON.stringify(chart))
  await writeFile(join(folder.path, 'values.yaml'), '')
  const kinds = async (...args: readonly string[]) => {
    const rendered = await runHelm(['template', 'parent', folder.path, ...args])
    return new Set(parseManifest(rendered).map(({ kind }) => kind))
  }

  await t.test('switches each of them on and off', async () => {
    const both = await kinds('--set', names.map((name) => `${name}.enabled=true`).join(','))
    assert.ok(both.has('Deployment') && both.has('CustomResourceDefinition'))
    const one = await kinds('--set', 'agentgateway.enabled=true,agentgateway-crds.enabled=false')
    assert.ok(one.has('Deployment') && !one.has('CustomResourceDefinition'))
    const other = await kinds('--set', 'agentgateway.enabled=false,agentgateway-crds.enabled=true')
    assert.ok(!other.has('Deployment') && other.has('CustomResourceDefinition'))
  })

  await t.test('gets a misspelt value refused', async () => {
    await assert.rejects(kinds('--set', 'agentgateway.enbled=true'), /enbled/)
  })

  await t.test('has a switch that they lack when they are installed themselves', async () => {
    for (const path of [chartFolder, crdsChartFolder])
      await assert.rejects(runHelm(['template', 'x-agentgateway', path, '--set', 'enabled=false']), /enabled/)
  })
})
