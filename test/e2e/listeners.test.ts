import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { respond } from '../../src/model/exchange/reply.ts'
import { makeAuthority } from '../support/certificates.ts'
import { replying, startGateway, type TestGateway } from '../support/gateway.ts'

const run = promisify(execFile)

/** Whether a program is installed; logs if it is not. */
const has = async (program: string): Promise<boolean> => {
  try {
    await run(program, ['--version'])
    return true
  } catch {
    return false
  }
}

suite('listeners', async () => {
  const authority = makeAuthority()
  const { certFile, keyFile } = authority.issue('a.example')
  let gateway: TestGateway
  const [curl, nghttp] = [await has('curl'), await has('nghttp')]
  const pipeline = replying(async (x) => {
    const { method, path, httpVersion } = x.request
    const body = await x.request.body.read(3_000_000)
    return respond(200, `${method} ${path} ${httpVersion} ${body.length}`)
  })

  before(async () => {
    gateway = await startGateway([
      { key: 'plain', listeners: [{ pipeline }] },
      {
        key: 'tls',
        protocol: 'tls',
        listeners: [{ protocol: 'HTTPS', hostname: 'a.example', tls: { certFile, keyFile }, pipeline }],
      },
    ])
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    authority[Symbol.dispose]()
  })

  const curlCases: readonly (readonly [name: string, args: readonly string[], expected: string])[] = [
    ['HTTP/1.1', ['--http1.1'], 'GET /x 1.1 0'],
    ['HTTP/1.0', ['--http1.0'], 'GET /x 1.0 0'],
    ['HTTP/2 with prior knowledge', ['--http2-prior-knowledge'], 'GET /x 2 0'],
    ['an offer to upgrade to HTTP/2', ['--http2'], 'GET /x 1.1 0'],
    ['a large upload, which expects 100', ['--http1.1', '--data-binary', '@-'], 'POST /x 1.1 2000000'],
    ['a large upload over HTTP/2', ['--http2-prior-knowledge', '--data-binary', '@-'], 'POST /x 2 2000000'],
    ['a chunked upload', ['-T', '-'], 'PUT /x 1.1 2000000'],
  ]
  for (const [name, args, expected] of curlCases)
    test(`serve curl with ${name}`, { skip: !curl && 'there is no curl here' }, async () => {
      const running = run('curl', ['-sS', ...args, `http://127.0.0.1:${gateway.port('plain')}/x`])
      // Requests without a body close it unread.
      running.child.stdin?.on('error', () => undefined).end(Buffer.alloc(2_000_000))
      assert.equal((await running).stdout, expected)
    })

  for (const [version, args] of [
    ['1.1', ['--http1.1']],
    ['2', ['--http2']],
  ] as const)
    test(`serve curl with TLS and HTTP/${version}`, { skip: !curl && 'there is no curl here' }, async () => {
      const port = gateway.port('tls')
      const { stdout } = await run('curl', [
        ...['-sS', ...args, '--cacert', authority.certFile],
        ...['--resolve', `a.example:${port}:127.0.0.1`, `https://a.example:${port}/x`],
      ])
      assert.equal(stdout, `GET /x ${version} 0`)
    })

  for (const [name, bind] of [
    ['in the clear', 'plain'],
    ['over TLS', 'tls'],
  ] as const)
    test(`serve nghttp ${name}`, { skip: !nghttp && 'there is no nghttp here' }, async () => {
      const scheme = bind === 'tls' ? 'https' : 'http'
      const { stdout } = await run('nghttp', [
        ...['--no-dep', '-H', ':authority: a.example'],
        `${scheme}://127.0.0.1:${gateway.port(bind)}/x`,
      ])
      assert.equal(stdout, 'GET /x 2 0')
    })
})

test('a drained process has no socket, timer or exchange left', async () => {
  const script = new URL('listeners-child.ts', import.meta.url).pathname
  const { stdout } = await run(process.execPath, [script])
  const { began, ended, held, left } = JSON.parse(stdout) as Record<string, unknown>
  assert.ok(Number(began) > 100)
  assert.deepEqual({ ended, held, left }, { ended: began, held: 0, left: [] })
})
