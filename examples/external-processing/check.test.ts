import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { echoed, startEcho } from '../../test/support/echo-upstream.ts'
import { startExample } from '../../test/support/example.ts'
import { startProgram } from '../../test/support/program.ts'
import { until } from '../../test/support/stream-body.ts'

test('examples/external-processing', async (t) => {
  await using people = await startEcho('people')
  await using processor = await startProgram('examples/external-processing/processor.ts')
  await using daemon = await startExample('external-processing', {
    PEOPLE: people.host,
    PROCESSOR: processor.host,
  })
  const base = daemon.url('default')

  await t.test('marks requests, whatever clients send', async () => {
    const answer = await sendRequest(base, '/people', { headers: { 'x-seen-by': 'nobody' } })
    assert.equal(echoed(answer).headers['x-seen-by'], 'processor')
    await until(() => processor.lines.includes('/people from 127.0.0.1'), 'the line')
  })

  await t.test('refuses requests', async () => {
    const { status, text } = await sendRequest(base, '/private/people')
    assert.deepEqual([status, text], [403, 'Not for you.'])
  })

  await t.test('masks addresses in responses', async () => {
    const { text } = await sendRequest(base, '/people?of=ann@example.test')
    assert.match(text, /"target":"\/people\?of=hidden"/)
  })

  await t.test('streams bodies', async () => {
    const answer = await sendRequest(base, '/uploads', { method: 'POST', body: 'a'.repeat(300_000) })
    assert.equal(echoed(answer).body.length, 300_000)
  })

  await t.test('replies with 500 while the service is down', async () => {
    await processor[Symbol.asyncDispose]()
    const { status, text } = await sendRequest(base, '/people')
    assert.deepEqual([status, text], [500, 'ext_proc failed: the processor cannot be reached'])
  })
})
