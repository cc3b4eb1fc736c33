import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startProgram } from '../../test/support/program.ts'

test('examples/echo replies with the request after it has read the whole body', async () => {
  await using service = await startProgram('examples/echo/server.mjs')
  const plain = await sendRequest(`http://${service.host}`, '/anything?a=1')
  assert.deepEqual([plain.status, plain.text], [200, 'service 0 got GET /anything?a=1\n'])
  const told = await sendRequest(`http://${service.host}`, '/', {
    method: 'POST',
    headers: { 'x-user': 'ann' },
    body: 'x'.repeat(100_000),
  })
  assert.equal(told.text, 'service 0 got POST /, x-user: ann\n')
})
