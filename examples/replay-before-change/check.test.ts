import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runAgctlBatch } from '../../test/support/cli/agctl-batch.ts'

const folder = 'examples/replay-before-change'

test('examples/replay-before-change', async (t) => {
  const trace = `${folder}/trace.jsonl`
  const [before, after] = [`${folder}/config.yaml`, `${folder}/config.new.yaml`]
  const url = 'http://localhost:8080/orders/search'
  const [check, diff, replay, explain] = await runAgctlBatch([
    ['config', 'check', before, after],
    ['config', 'diff', '--requests', trace, before, after],
    ['proxy', 'replay', trace, '--', after],
    ['config', 'explain', after, '--', 'DELETE', url, '-H', 'x-team: sales'],
  ])
  const printed = (file: string) => readFileSync(`${folder}/${file}`, 'utf8')

  await t.test('has valid configurations', () => {
    assert.deepEqual([check?.code, check?.stdout], [0, `${before}: ok\n${after}: ok\n`])
  })

  await t.test('says which requests would take another way', () => {
    assert.deepEqual([diff?.code, diff?.stdout], [0, printed('diff.txt')])
  })

  await t.test('says what the change would have done to the captured requests', () => {
    assert.deepEqual([replay?.code, replay?.stdout], [1, printed('replay.txt')])
  })

  await t.test('explains why a deletion would get past the rules', () => {
    assert.deepEqual([explain?.code, explain?.stdout], [0, printed('explain.txt')])
  })
})
