import { create } from '@bufbuild/protobuf'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { HeaderValueSchema } from '../../src/protocols/grpc/core.gen.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startCounting } from '../support/rate-limit-service.ts'
import { httpServer } from '../support/upstream-servers.ts'

/** Sends these fields after the body. */
const sendTrailers = async (url: string, trailers: Record<string, string>): Promise<number | undefined> => {
  const req = request(url, {
    method: 'POST',
    headers: { trailer: Object.keys(trailers).join(', ') },
    agent: false,
  })
  req.write('hello')
  req.addTrailers(trailers)
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  await buffer(res)
  return res.statusCode
}

test('fields that a service sets cannot be forged in trailers', async (t) => {
  const seen: { body: string; headers: IncomingMessage['headers']; trailers: NodeJS.Dict<string> }[] = []
  await using upstream = await httpServer((req, res) => {
    buffer(req).then(
      (body) => {
        seen.push({ body: body.toString(), headers: req.headers, trailers: req.trailers })
        res.end()
      },
      () => res.destroy(),
    )
  })
  await using decider = await httpServer((_, res) => res.setHeader('x-user', 'ann').end())
  await using counting = await startCounting(100)
  counting.answer = (counted) => ({
    ...counted,
    requestHeadersToAdd: [create(HeaderValueSchema, { key: 'X-Tier', value: 'free' })],
  })
  const route = (name: string, policies: string) => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { ${policies} }
    backends: [{ host: "127.0.0.1:${upstream.port}" }]`
  const asks = `host: "127.0.0.1:${decider.port}", protocol: { http: { includeResponseHeaders: [x-user] } }`
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
${route('decided', `extAuthz: { ${asks} }`)}
${route('skipped', `extAuthz: { conditional: [{ condition: "false", ${asks} }] }`)}
${route('held', `extAuthz: { ${asks} }, transformations: { request: { set: { x-size: "string(size(request.body))" } } }`)}
${route('counted', `remoteRateLimit: { host: "${counting.host}", domain: d, descriptors: [{ entries: [{ key: a, value: "'b'" }] }] }`)}
`)
  const forged = { 'x-sum': '1', 'X-User': 'root', x_user: 'root', 'x-tier': 'gold' }
  const cases = {
    decided: { 'x-sum': '1', 'x-tier': 'gold' },
    skipped: { 'x-sum': '1', 'x-tier': 'gold' },
    held: { 'x-sum': '1', 'x-tier': 'gold' },
    counted: { 'x-sum': '1', 'x-user': 'root', x_user: 'root' },
  }
  for (const [name, left] of Object.entries(cases))
    await t.test(name, async () => {
      assert.equal(await sendTrailers(`${daemon.url('default')}/${name}`, forged), 200)
      const { body, headers, trailers } = seen.at(-1) ?? assert.fail()
      assert.equal(body, 'hello')
      assert.deepEqual({ ...trailers }, left)
      if (name === 'counted') assert.equal(headers['x-tier'], 'free')
      else if (name !== 'skipped') assert.equal(headers['x-user'], 'ann')
    })
})
