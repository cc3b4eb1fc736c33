import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/canary', async (t) => {
  await using current = await startUpstream((_, res) => res.end('current'))
  await using next = await startUpstream((_, res) => res.end('next'))
  await using daemon = await startExample('canary', { CURRENT: current.host, NEXT: next.host })
  const url = daemon.url('default')

  await t.test('sends a tenth of the requests to the new version', async () => {
    let ofNext = 0
    for (let i = 0; i < 40; i++) {
      const texts = await Promise.all(Array.from({ length: 10 }, async () => (await fetch(url)).text()))
      ofNext += texts.filter((text) => text === 'next').length
    }
    // 40 of 400 are expected; one run in a million is outside these bounds.
    assert.ok(ofNext > 10 && ofNext < 75, `${ofNext} of 400`)
  })

  await t.test('always sends requests with the header x-version: next to the new version', async () => {
    for (let i = 0; i < 20; i++) {
      const { text, headers } = await sendRequest(url, '/', { headers: { 'x-version': 'next' } })
      assert.deepEqual([text, headers['x-version']], ['next', 'next'])
    }
  })

  await t.test('compares the value of the header exactly', async () => {
    const texts = new Set<string>()
    for (let i = 0; i < 20; i++)
      texts.add((await sendRequest(url, '/', { headers: { 'x-version': 'NEXT' } })).text)
    assert.ok(texts.has('current'))
  })
})
