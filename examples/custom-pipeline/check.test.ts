import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { startUpstream } from '../../test/support/upstream.ts'

const program = new URL('gateway.ts', import.meta.url).pathname

test('examples/custom-pipeline', async (t) => {
  let calls = 0
  await using upstream = await startUpstream((req, res) => {
    calls++
    req.resume()
    res.writeHead(req.url === '/late' && calls === 1 ? 503 : 200).end(`${req.method ?? ''} ${req.url ?? ''}`)
  })
  const child = spawn(process.execPath, ['--conditions=agentgateway-source', program], {
    env: { ...process.env, ORIGIN: `http://${upstream.host}`, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const printed: string[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => printed.push(line))
  await once(lines, 'line')
  const [, url = ''] =
    /^serving http:\/\/127\.0\.0\.1:\d+ on (http:\/\/127\.0\.0\.1:\d+)$/.exec(printed[0] ?? '') ?? []

  await t.test('forwards requests, and retries a request that failed with 425', async () => {
    const late = await fetch(`${url}/late`)
    assert.deepEqual([late.status, await late.text(), calls], [200, 'GET /late', 2])
    const answer = await fetch(`${url}/now?a=b`)
    assert.deepEqual(
      [answer.headers.get('x-served-by'), await answer.text()],
      ['custom-pipeline', 'GET /now?a=b'],
    )
  })

  await t.test('refuses requests by its own operator, and stamps the refusal', async () => {
    const answer = await fetch(url, { method: 'POST', body: 'a=1' })
    assert.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, 'Name'])
    assert.deepEqual(
      [answer.headers.get('x-served-by'), await answer.text()],
      ['custom-pipeline', 'who are you?'],
    )
    const named = await fetch(url, { method: 'POST', body: 'a=1', headers: { 'x-name': 'alice' } })
    assert.equal(await named.text(), 'POST /')
  })

  await t.test('refuses cross-site requests', async () => {
    const headers = { origin: 'https://evil.test', 'x-name': 'alice' }
    const answer = await fetch(url, { method: 'POST', body: 'a=1', headers })
    assert.equal(answer.status, 403)
  })

  await t.test('prints a trace and exits on SIGTERM', async () => {
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    assert.equal(code, 0)
    const trace = printed.flatMap((line) => /^(\d+ [\w-]+) took \d+ µs$/.exec(line)?.[1] ?? [])
    const stages = trace.filter((line) => !line.endsWith('backend'))
    assert.deepEqual(stages.slice(0, 3), ['1 csrf', '1 named', '1 stamp'])
    assert.ok(trace.includes('3 named') && !trace.includes('5 named'))
    const log = printed.filter((line) => line.includes('\trequest '))
    assert.equal(log.length, 5)
    assert.match(log[0] ?? '', /http\.path=\/late .*http\.status=200 .*retry\.attempt=1/)
    assert.match(log[2] ?? '', /http\.status=401 .*code=no_name/)
    assert.match(log[4] ?? '', /http\.status=403 .*code=csrf_failed/)
  })
})
