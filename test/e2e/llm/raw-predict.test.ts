import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { jsonResponse, jsonOf, message, startProvider } from '../../support/llm/recording-provider.ts'

const models = '/v1/projects/p/locations/l/publishers/anthropic/models'
const asked = {
  anthropic_version: 'vertex-2023-10-16',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hi' }],
}

const configuration = (host: string, vertex: string): string => `${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models:
    - name: claude-vertex
      provider: vertex
      auth: { key: token }
      params: { vertexProject: q, vertexRegion: r, ${vertex} }
    - name: claude-*
      provider: anthropic
      params: { apiKey: key, baseUrl: 'http://${host}/v1' }
    - name: mock
      provider: mock
`

suite('rawPredict requests for Anthropic models', () => {
  test('reach Anthropic with model and stream in the body, and the version in a header', async () => {
    await using provider = await startProvider(jsonResponse(message))
    await using daemon = await startDaemon(configuration(provider.host, `baseUrl: 'http://${provider.host}'`))
    for (const method of ['rawPredict', 'streamRawPredict']) {
      const body = JSON.stringify(asked)
      const { status } = await sendRequest(daemon.url('default'), `${models}/claude-x:${method}`, {
        method: 'POST',
        body,
      })
      assert.equal(status, 200)
    }
    const { max_tokens, messages } = asked
    assert.deepEqual(provider.calls.map(jsonOf), [
      { max_tokens, messages, model: 'claude-x' },
      { max_tokens, messages, model: 'claude-x', stream: true },
    ])
    for (const { path, headers } of provider.calls)
      assert.deepEqual([path, headers['anthropic-version']], ['/v1/messages', '2023-06-01'])
  })

  test('reach Vertex unchanged to the byte', async () => {
    await using provider = await startProvider(jsonResponse(message))
    await using daemon = await startDaemon(configuration(provider.host, `baseUrl: 'http://${provider.host}'`))
    const body = `{ "anthropic_version": "vertex-2023-10-16", "max_tokens":9,\n"messages":[{"role":"user","content":"h\\u0069"}] }`
    await sendRequest(daemon.url('default'), `${models}/claude-vertex:rawPredict`, { method: 'POST', body })
    assert.equal(provider.calls[0]?.bytes.toString(), body)
    assert.equal(
      provider.calls[0].path,
      '/v1/projects/q/locations/r/publishers/anthropic/models/claude-vertex:rawPredict',
    )
  })

  test('reach the mock provider', async () => {
    await using daemon = await startDaemon(configuration('127.0.0.1:1', ''))
    const body = JSON.stringify(asked)
    const { status, text } = await sendRequest(daemon.url('default'), `${models}/mock:rawPredict`, {
      method: 'POST',
      body,
    })
    assert.equal(status, 200, text)
  })
})
