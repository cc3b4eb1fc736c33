import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/basic-auth', async (t) => {
  await using reports = await startUpstream((req, res) => {
    req.resume()
    const { authorization = 'no password', 'x-user': user } = req.headers
    res.end(`${String(req.method)} by ${String(user)} with ${authorization}`)
  })
  await using daemon = await startExample('basic-auth', { REPORTS: reports.host })
  const send = (method: string, login?: string) =>
    sendRequest(daemon.url('default'), '/', {
      method,
      headers: login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    })

  await t.test('asks for a password', async () => {
    for (const login of [undefined, 'ann:guess', 'eve:ann likes tea']) {
      const { status, headers } = await send('GET', login)
      assert.deepEqual([status, headers['www-authenticate']], [401, 'Basic realm="reports"'])
    }
  })

  await t.test('allows staff to read, and passes the user name to the backend', async () => {
    const { status, text } = await send('GET', 'ann:ann likes tea')
    assert.deepEqual([status, text], [200, 'GET by ann with no password'])
  })

  await t.test('allows the boss to write', async () => {
    assert.equal((await send('DELETE', 'ann:ann likes tea')).status, 403)
    assert.equal((await send('DELETE', 'boss:the boss does not')).text, 'DELETE by boss with no password')
  })
})
