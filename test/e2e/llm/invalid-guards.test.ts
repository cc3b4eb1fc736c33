import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { userMessage } from '../../support/llm/model-request.ts'
import { sendRequest } from '../../support/send-request.ts'

suite('a guard that cannot be used', () => {
  for (const phase of ['request', 'response'])
    test(`lets no ${phase} pass`, async () => {
      const guard = JSON.stringify({ invalid: 'there is no webhook' })
      await using daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes:
  - policies: { ai: { promptGuard: { ${phase}: [${guard}] } } }
    backends: [{ ai: { name: mock, provider: { mock: {} } } }]
`)
      const { path, request } = userMessage('completions', 'm', 'hello', false)
      const reply = await sendRequest(daemon.url('default'), path, request)
      assert.equal(reply.status, 503)
      assert.match(reply.text, new RegExp(`failed to process LLM ${phase}: prompt guard failed`))
      await daemon.printed(/there is no webhook/)
    })
})
