import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'

test('examples/custom-functions', async (t) => {
  await using daemon = await startExample('custom-functions')
  const url = daemon.url('default')
  const from = (team: string | undefined, path = '/') =>
    sendRequest(url, path, { headers: team === undefined ? {} : { 'x-team': team } })

  await t.test('calls its functions in rules', async () => {
    assert.deepEqual([(await from('blue')).status, (await from('blue')).text], [200, 'welcome'])
    assert.equal((await from('green')).status, 403)
    assert.equal((await from(undefined)).status, 403)
  })

  await t.test('calls its functions in direct responses', async () => {
    assert.deepEqual(JSON.parse((await from('red', '/who')).text), { team: 'red', inside: true })
    assert.deepEqual(JSON.parse((await from(undefined, '/who')).text), { team: 'nobody', inside: true })
  })

  await t.test('evaluates its functions in the admin API', async () => {
    const inside = async (address: string) => {
      const body = JSON.stringify({ expression: 'isInside()', data: { source: { address } } })
      const answer = await fetch(`${daemon.url('admin')}/api/cel`, { method: 'POST', body })
      return ((await answer.json()) as { result: unknown }).result
    }
    assert.deepEqual([await inside('10.1.2.3'), await inside('192.0.2.1')], [true, false])
  })
})
