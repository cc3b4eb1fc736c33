import assert from 'node:assert/strict'
import { createServer as createHttp2 } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import { test } from 'node:test'
import type { ActiveCheck } from '../../../src/upstream/load-balancing/schema/normal-form.ts'
import type { EndpointOptions } from '../../../src/upstream/load-balancing/endpoint.ts'
import { localHealthChecks } from '../../../src/upstream/health-checks/local-health-checks.ts'
import { defaultUpstreamSettings } from '../../../src/upstream/registry.ts'
import { TlsClient } from '../../../src/upstream/connect/tls.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { httpServer, listening, rawServer, type UpstreamServer } from '../../support/upstream-servers.ts'

const http: ActiveCheck = {
  http: { path: '/', expect: ['200-399'] },
  intervalMs: 5,
  timeoutMs: 60_000,
  healthyThreshold: 2,
  unhealthyThreshold: 3,
}

/** The same without the request. */
const timesOf = ({ intervalMs, timeoutMs, healthyThreshold, unhealthyThreshold }: ActiveCheck) => ({
  intervalMs,
  timeoutMs,
  healthyThreshold,
  unhealthyThreshold,
})

/** The results of checks, in order. */
class Verdicts {
  readonly all: (string | undefined)[] = []
  #wake: () => void = () => undefined

  readonly take = (failing: string | undefined): void => {
    this.all.push(failing)
    this.#wake()
  }

  async until(count: number): Promise<readonly (string | undefined)[]> {
    while (this.all.length < count) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.all
  }
}

/** Checks a server on 127.0.0.1 until the test has enough results. */
const checked = async (
  { port }: { readonly port: number },
  check: ActiveCheck,
  act: (verdicts: Verdicts) => Promise<void>,
  more: Partial<EndpointOptions> = {},
): Promise<void> => {
  const verdicts = new Verdicts()
  const options = {
    ...defaultUpstreamSettings,
    poolMaxSize: undefined,
    tls: undefined,
    protocol: 'auto' as const,
  }
  const subject = {
    name: `127.0.0.1:${port}`,
    address: { ip: '127.0.0.1', port },
    options: { ...options, ...more },
    check,
  }
  const run = localHealthChecks(() => 0.5).begin(subject, verdicts.take)
  try {
    await act(verdicts)
  } finally {
    await run.stop()
  }
}

const closed = async (server: UpstreamServer): Promise<void> => {
  while (server.sockets.size > 0) await new Promise(setImmediate)
}

test('health checks of an endpoint', async (t) => {
  await t.test('report the first result, and then what several in a row show', async () => {
    const statuses = [200, 500, 500, 200, 500, 500, 500, 200, 500, 200, 200]
    let calls = 0
    await using server = await httpServer((_, res) => res.writeHead(statuses[calls++] ?? 200).end())
    const at: number[] = []
    await checked(server, http, async (verdicts) => {
      for (const count of [1, 2, 3]) {
        await verdicts.until(count)
        at.push(calls)
      }
      assert.deepEqual(verdicts.all, [undefined, 'check: status 500', undefined])
    })
    assert.deepEqual(at, [1, 7, 11])
    await closed(server)
  })

  await t.test('report an unhealthy endpoint at the first failure', async () => {
    await using server = await httpServer((_, res) => res.writeHead(404).end())
    await checked(server, http, async (verdicts) => {
      assert.deepEqual(await verdicts.until(1), ['check: status 404'])
    })
  })

  await t.test('have a timeout', async () => {
    await using server = await rawServer((socket) => socket.resume())
    await checked(server, { ...http, timeoutMs: 30 }, async (verdicts) => {
      assert.deepEqual(await verdicts.until(1), ['check: no answer within 30 ms'])
    })
    await closed(server)
  })

  await t.test('do not wait for the end of a response, and release its connection', async () => {
    await using server = await httpServer((_, res) => {
      res.writeHead(200)
      const more = () => {
        if (!res.destroyed) res.write('x'.repeat(65_536), () => setImmediate(more))
      }
      more()
    })
    await checked(server, http, async (verdicts) => {
      assert.deepEqual(await verdicts.until(1), [undefined])
      await closed(server)
    })
  })

  for (const [what, probe] of [
    ['HTTP', http],
    ['gRPC', { ...timesOf(http), grpc: {} }],
    ['TCP', { ...timesOf(http), tcp: {} }],
  ] as const)
    await t.test(`by ${what} fail if they cannot start`, async () => {
      await checked({ port: 70_000 }, probe, async (verdicts) => {
        const [wrong] = await verdicts.until(1)
        assert.match(wrong ?? '', /^check: /)
      })
    })

  await t.test('treat an invalid response as a failure', async () => {
    await using server = await rawServer((socket) => socket.end('SSH-2.0-x\r\n'))
    await checked(server, http, async (verdicts) => {
      assert.deepEqual(await verdicts.until(1), ['check: malformed answer'])
    })
  })

  await t.test('stop on request, also during a check', async () => {
    await using server = await rawServer((socket) => socket.resume())
    await checked(server, http, async (verdicts) => {
      while (server.sockets.size === 0) await new Promise(setImmediate)
      assert.deepEqual(verdicts.all, [])
    })
    await closed(server)
    assert.equal(server.opened(), 1)
  })

  await t.test('use TLS if the endpoint does, and verify its certificate', async () => {
    using authority = makeAuthority()
    const { cert, key } = authority.issue('localhost')
    await using server = await listening(createHttps({ cert, key }, (_, res) => res.end()))
    const tls = (rootFile: string | undefined) =>
      new TlsClient(
        { insecure: false, insecureHost: false, subjectAltNames: [], ...(rootFile && { rootFile }) },
        'localhost',
      )
    for (const probe of [http, { ...timesOf(http), tcp: {} }]) {
      await checked(
        server,
        probe,
        async (verdicts) => assert.deepEqual(await verdicts.until(1), [undefined]),
        { tls: tls(authority.certFile) },
      )
      await checked(
        server,
        probe,
        async (verdicts) => assert.deepEqual(await verdicts.until(1), ['check: TLS handshake failed']),
        { tls: tls(undefined) },
      )
    }
  })

  await t.test('use HTTP/2 if the endpoint does', async () => {
    await using server = await listening(createHttp2((_, res) => res.writeHead(204).end()))
    await checked(server, http, async (verdicts) => assert.deepEqual(await verdicts.until(1), [undefined]), {
      protocol: 'http2',
    })
  })

  await t.test('by gRPC treat a server without a health service as unhealthy', async () => {
    await using server = await listening(
      createHttp2((_, res) => {
        res.writeHead(200, { 'content-type': 'application/grpc', 'grpc-status': '12' }).end()
      }),
    )
    await checked(server, { ...timesOf(http), grpc: {} }, async (verdicts) => {
      assert.deepEqual(await verdicts.until(1), ['check: grpc-status 12'])
    })
  })
})
