import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'

/** One gRPC call over HTTP/2; resolves when its stream has closed. */
const call = async (base: string, path: string): Promise<void> => {
  const client = connect(base)
  const stream = client.request({
    ':path': path,
    ':method': 'POST',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  stream.end('message')
  stream.resume()
  await once(stream, 'close')
  client.close()
}

test('the gRPC status in the trailers', async (t) => {
  const server = createServer((req, res) => {
    res.setHeader('content-type', 'application/grpc')
    res.setHeader('trailer', 'grpc-status')
    res.addTrailers({ 'grpc-status': req.url.slice(1), 'grpc-message': 'said last' })
    res.end('reply')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using daemon =
    await startDaemon(`${anyPorts}  metrics: { fields: { add: { grpc: "string(response.grpcStatus)" } } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies:
  accessLog:
    filter: "!has(response.grpcStatus) || response.grpcStatus != 0"
    add: { seen: "response.grpcStatus + 100" }
routes:
  - backends: [{ host: "127.0.0.1:${(server.address() as AddressInfo).port}", policies: { http: { version: "2" } } }]
`)

  await t.test('is in the access log and in its added fields', async () => {
    await call(daemon.url('default'), '/13')
    const [line] = await daemon.printed(/^.*http\.path=\/13 .*$/m)
    assert.match(line, / http\.status=200 grpc\.status=13 /)
    assert.match(line, / seen=113\b/)
  })

  await t.test('is recorded over HTTP/1.1 too', async () => {
    await sendRequest(daemon.url('default'), '/5')
    const [line] = await daemon.printed(/^.*http\.path=\/5 .*$/m)
    assert.match(line, / http\.version=HTTP\/1\.1 http\.status=200 grpc\.status=5 /)
  })

  await t.test('is available to the filter of the access log', async () => {
    await call(daemon.url('default'), '/0')
    await call(daemon.url('default'), '/7')
    await daemon.printed(/http\.path=\/7 /)
    assert.doesNotMatch(daemon.output(), /http\.path=\/0 /)
  })

  await t.test('is available to metric labels', async () => {
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    const labels = [...text.matchAll(/^agentgateway_requests_total\{.*\bgrpc="(\w+)"/gm)].map(
      ([, one]) => one,
    )
    assert.deepEqual(labels.toSorted(), ['0', '13', '5', '7'])
  })
  server.close()
})
