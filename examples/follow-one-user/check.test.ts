import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { keySetOf, secondsFromNow, signer } from '../../test/support/tokens.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/follow-one-user', async (t) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'example-user-'))
  const provider = signer('k1')
  const KEYS = join(folder.path, 'keys.json')
  writeFileSync(KEYS, keySetOf(provider))
  await using shop = await startUpstream((_, response) => response.end('served'))
  await using daemon = await startExample('follow-one-user', {
    SHOP: shop.host,
    ISSUER: 'https://idp.test',
    KEYS,
  })
  const admin = daemon.url('admin')
  const withKey = (key: string, path: string) =>
    sendRequest(daemon.url('default'), path, { headers: { 'x-api-key': key } })
  const withToken = (sub: string, path: string) => {
    const token = provider.token({
      iss: 'https://idp.test',
      aud: 'app.example.com',
      sub,
      exp: secondsFromNow(60),
    })
    return sendRequest(daemon.url('default'), path, { headers: { authorization: `Bearer ${token}` } })
  }
  /** Watches the first request for which the expression is true. */
  const watch = async (expression: string): Promise<Response> => {
    const response = await fetch(`${admin}/debug/trace?expression=${encodeURIComponent(expression)}`)
    assert.equal(response.status, 200)
    return response
  }

  await t.test('logs all requests of one user, and few of the others', async () => {
    for (let i = 0; i < 50; i++) assert.equal((await withKey('bob-key', `/bob/${i}`)).status, 200)
    assert.equal((await withToken('ann', '/app/token')).status, 200)
    assert.equal((await withKey('ann-key', '/last')).status, 200)
    await daemon.printed(/http\.path=\/app\/token .*user=ann\n/)
    await daemon.printed(/http\.path=\/last .*user=ann\n/)
    // More than 10 of 50 at a share of 0.01 happen once in 10^11 runs.
    assert.ok([...daemon.output().matchAll(/http\.path=\/bob/g)].length <= 10)
  })

  await t.test('traces the requests with one API key, without showing the key', async () => {
    const trace = await watch('request.headers["x-api-key"] == "ann-key"')
    for (const user of ['bob', 'ann']) await withKey(`${user}-key`, `/${user}`)
    const text = await trace.text()
    assert.match(text, /"path":"\/ann"/)
    assert.doesNotMatch(text, /"\/bob"|ann-key/)
  })

  await t.test('traces the requests with a token of one subject', async () => {
    const subject = 'unvalidatedJwtPayload(request.headers.authorization.substring(7)).sub'
    const trace = await watch(`${subject} == "ann"`)
    for (const user of ['bob', 'ann']) await withToken(user, `/app/${user}`)
    const text = await trace.text()
    assert.match(text, /"path":"\/app\/ann"/)
    assert.doesNotMatch(text, /\/app\/bob/)
  })

  await t.test('logs the decisions about a request under the number of its access log line', async () => {
    const set = (query: string) => fetch(`${admin}/logging?${query}`, { method: 'POST' })
    await set('level=info,http=debug,auth=debug,request=debug')
    await withKey('ann-key', '/debugged')
    const [, id = ''] = await daemon.printed(/request\.id=(\d+) .*http\.path=\/debugged .*user=ann/)
    await daemon.printed(new RegExp(`http\\ta route is chosen requestId=${id} .*route=\\S+/api\\n`))
    await daemon.printed(new RegExp(`auth\\ta policy ran requestId=${id} .*result="the key is known"`))
    await set('reset')
    assert.equal(await (await fetch(`${admin}/logging`)).text(), 'current log level is info\n')
  })
})
