import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { chartFolder, renderChart, runHelm } from '../../kubernetes/lab/chart.ts'
import { programsProblem } from '../../kubernetes/lab/programs.ts'
import { goldenCases } from './golden-cases.ts'

// With UPDATE_GOLDEN=1 the files are written, to be read in the diff.
test('the chart, rendered by Helm', { skip: programsProblem(['helm']) }, async (t) => {
  await t.test('has at least thirty cases', () => {
    assert.ok(goldenCases.length >= 30)
  })

  await t.test('passes helm lint, with each of them', async () => {
    for (const { release } of goldenCases)
      assert.match(
        await runHelm(['lint', '--strict', chartFolder, ...(release.args ?? [])]),
        /1 chart\(s\) linted, 0 chart\(s\) failed/,
      )
  })

  for (const { name, release, output } of goldenCases)
    await t.test(name, async () => {
      const rendered = await renderChart(release)
      if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(output, rendered)
      assert.equal(rendered, readFileSync(output, 'utf8'))
    })
})
