import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startProgram } from '../../test/support/program.ts'

test('examples/a2a', async (t) => {
  await using agent = await startProgram('examples/a2a/agent.ts')
  await using daemon = await startExample('a2a', { AGENT: agent.host })
  const base = daemon.url('default')
  const known = { authorization: 'Bearer travel-s3cret', 'content-type': 'application/json' }
  const params = {
    message: { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'Good day' }] },
  }
  const call = (address: string, method: string, headers: Record<string, string> = known) =>
    sendRequest(base, new URL(address).pathname, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 'one', method, params }),
    })
  const card = JSON.parse(
    (await sendRequest(base, '/agents/echo/.well-known/agent-card.json', { headers: known })).text,
  ) as {
    url: string
  }

  await t.test('rewrites the agent card to the address of the gateway', () => {
    assert.equal(card.url, `${base.replace(/\/$/, '')}/agents/echo`)
  })

  await t.test('forwards messages sent to that address', async () => {
    const { text } = await call(card.url, 'message/send')
    assert.match(text, /"state":"completed".*"text":"Good day"/)
    await daemon.printed(
      /a2a\.method=message\/send a2a\.response\.outcome=success a2a\.result\.kind=task a2a\.task\.state=completed a2a\.context\.id=context-1/,
    )
  })

  await t.test('forwards streams sent to that address', async () => {
    const { headers, text } = await call(card.url, 'message/stream')
    assert.equal(headers['content-type'], 'text/event-stream')
    assert.equal(text.split('\n\n').length, 5)
    await daemon.printed(
      /a2a\.method=message\/stream a2a\.response\.outcome=success a2a\.result\.kind=status-update a2a\.task\.state=completed/,
    )
  })

  await t.test('refuses callers without a key with a JSON-RPC error', async () => {
    const { status, headers, text } = await call(card.url, 'message/send', {
      'content-type': 'application/json',
    })
    assert.equal(status, 401)
    assert.ok(headers['www-authenticate'])
    assert.deepEqual(JSON.parse(text), {
      jsonrpc: '2.0',
      id: 'one',
      error: { code: -32600, message: 'api key authentication failure: no API Key found' },
    })
  })
})
