import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IssuerMetadata } from '../../../src/upstream/jwks/issuer-metadata.ts'
import { startUpstream } from '../../support/upstream.ts'

test('the metadata of an issuer', async (t) => {
  const asked: string[] = []
  let status = 200
  await using server = await startUpstream((req, res) => {
    asked.push(String(req.url))
    if (req.url === '/none') res.writeHead(404).end('nothing here')
    else if (req.url === '/list') res.end('[')
    else res.writeHead(status, { 'cache-control': 'max-age=600' }).end('{"issuer":"me"}')
  })
  const open = (...paths: string[]) => new IssuerMetadata(paths.map((path) => `http://${server.host}${path}`))

  await t.test('are fetched once for concurrent requests', async () => {
    const metadata = open('/a')
    const answers = await Promise.all([metadata.get(), metadata.get()])
    assert.deepEqual(answers, [{ issuer: 'me' }, { issuer: 'me' }])
    await metadata.get()
    assert.deepEqual(asked.splice(0), ['/a'])
    await metadata.close()
  })

  await t.test('are those of the first address with a readable response', async () => {
    const metadata = open('/none', '/list', '/a')
    assert.deepEqual(await metadata.get(), { issuer: 'me' })
    assert.deepEqual(asked.splice(0), ['/none', '/list', '/a'])
    await metadata.close()
  })

  await t.test(
    'are absent if no address responds, which is a fault with its reasons, and are fetched again',
    async () => {
      const metadata = open('/none', '/a')
      status = 500
      await assert.rejects(metadata.get(), (fault: Error & { code?: string }) => {
        assert.equal(fault.code, 'issuer_unavailable')
        assert.match(
          (fault.cause as Error).message,
          /none: it answered with status 404; .*\/a: it answered with status 500/,
        )
        return true
      })
      status = 200
      assert.deepEqual(await metadata.get(), { issuer: 'me' })
      await metadata.close()
    },
  )
})
