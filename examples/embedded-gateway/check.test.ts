import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { startUpstream } from '../../test/support/upstream.ts'

/** Starts a program of this folder and resolves once its gateway listens. */
const start = async (t: TestContext, name: string, origin: string) => {
  const child = spawn(
    process.execPath,
    ['--conditions=agentgateway-source', new URL(name, import.meta.url).pathname],
    {
      env: {
        ...process.env,
        ORIGIN: origin,
        PORT: '0',
        CONFIG: new URL('gateway.yaml', import.meta.url).pathname,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  t.after(() => child.kill('SIGKILL'))
  const printed: string[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => printed.push(line))
  await Promise.race([once(lines, 'line'), once(child, 'close')])
  const [, url = ''] = /^default listens on (http:\/\/127\.0\.0\.1:\d+)$/.exec(printed[0] ?? '') ?? []
  const stop = async () => {
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    return code
  }
  return { url, printed, stop }
}

test('examples/embedded-gateway', async (t) => {
  await using upstream = await startUpstream((req, res) => res.end(`${req.method ?? ''} ${req.url ?? ''}`))

  await t.test('serves requests, prints nothing else, and exits', async (t) => {
    const program = await start(t, 'gateway.ts', upstream.host)
    assert.equal(await (await fetch(`${program.url}/now`)).text(), 'GET /now')
    assert.deepEqual([await program.stop(), program.printed.length], [0, 1])
  })

  await t.test('runs operators of the program between its stages', async (t) => {
    const program = await start(t, 'insert.ts', upstream.host)
    const call = async (path: string, headers: Record<string, string> = {}) => {
      const reply = await fetch(`${program.url}${path}`, { headers })
      return [reply.status, reply.headers.get('x-served-by'), await reply.text()]
    }
    assert.deepEqual(await call('/api'), [403, 'embedded-gateway', 'unknown tenant'])
    assert.deepEqual(await call('/api', { 'x-tenant': 'red' }), [200, 'embedded-gateway', 'GET /api'])
    assert.deepEqual(await call('/health'), [200, 'embedded-gateway', 'fine'])
    assert.equal(await program.stop(), 0)
  })

  await t.test('reports its trace and its exchanges to the program', async (t) => {
    const program = await start(t, 'trace.ts', upstream.host)
    await (await fetch(`${program.url}/now`)).text()
    assert.equal(await program.stop(), 0)
    assert.ok(program.printed.includes('GET /now 200, 8 bytes'))
    assert.ok(program.printed.some((line) => /^1 backend took \d+ µs$/.test(line)))
  })
})
