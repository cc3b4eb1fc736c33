import { ServerCredentials, status } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackendPolicies, SimpleBackend } from '../../../src/model/resources/policies.ts'
import { Authorization } from '../../../src/protocols/grpc/ext-authz.gen.ts'
import { ExternalProcessor, type ProcessingRequest } from '../../../src/protocols/grpc/ext-proc.gen.ts'
import type { GrpcService } from '../../../src/upstream/grpc/grpc-client.ts'
import { Registry } from '../../../src/upstream/registry.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { bidi, grpcServer, unary } from '../../support/grpc-server.ts'
import { backendsAt, snapshotOf } from '../../support/resources.ts'
import { resourceIndex } from '../../../src/model/resources/resource-index.ts'

const { check } = Authorization.method
const { process: talk } = ExternalProcessor.method

const withService = async (
  port: number,
  act: (service: GrpcService, registry: Registry) => Promise<void>,
  policies: BackendPolicies = {},
  host = '127.0.0.1',
): Promise<void> => {
  const registry = new Registry()
  const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
  const target: SimpleBackend = { kind: 'host', target: { host, port } }
  const service = session.grpc(target, policies)
  session.commit(snapshotOf(backendsAt({})))
  try {
    await act(service ?? assert.fail('nobody to call'), registry)
  } finally {
    await registry.close(0)
  }
}

const path = (text: string) => ({ attributes: { request: { http: { path: text } } } })

test('a gRPC call', async (t) => {
  await t.test('sends one message and receives another', async () => {
    await using server = await grpcServer([
      unary(check, ({ attributes }, { metadata }) => ({
        status: {
          code: 7,
          message: `${String(attributes?.request?.http?.path)} ${String(metadata.getMap()['x-a'])}`,
        },
      })),
    ])
    await withService(server.port, async (service) => {
      const answer = await service.unary(check, path('/a'), { timeoutMs: 60_000, metadata: [['x-a', '1']] })
      assert.deepEqual([answer.status?.code, answer.status?.message], [7, '/a 1'])
    })
  })

  await t.test('ends at its deadline, and cancels the call', async () => {
    let heard: () => void
    const cancelled = new Promise<void>((resolve) => (heard = resolve))
    await using server = await grpcServer([
      unary(check, (_, call) => {
        call.on('cancelled', () => heard())
        return new Promise(() => undefined)
      }),
    ])
    await withService(server.port, async (service) => {
      await assert.rejects(service.unary(check, {}, { timeoutMs: 3_000 }), { code: 'upstream_timeout' })
      await cancelled
    })
  })

  await t.test('ends when it is no longer needed, and cancels the call', async () => {
    const leaving = new AbortController()
    let heard: () => void
    const cancelled = new Promise<void>((resolve) => (heard = resolve))
    await using server = await grpcServer([
      unary(check, (_, call) => {
        call.on('cancelled', () => heard())
        leaving.abort()
        return new Promise(() => undefined)
      }),
    ])
    await withService(server.port, async (service) => {
      const { signal } = leaving
      await assert.rejects(service.unary(check, {}, { timeoutMs: 60_000, signal }), { code: 'abandoned' })
      await cancelled
      await assert.rejects(service.unary(check, {}, { timeoutMs: 60_000, signal }), { code: 'abandoned' })
    })
  })

  await t.test('distinguishes an error of the service from an unreachable one', async () => {
    const server = await grpcServer([
      unary(check, () => Promise.reject(Object.assign(new Error('no'), { code: status.INTERNAL }))),
    ])
    await withService(server.port, async (service) => {
      await assert.rejects(service.unary(check, {}, { timeoutMs: 60_000 }), { code: 'upstream_failed' })
    })
    await server[Symbol.asyncDispose]()
    await withService(server.port, async (service) => {
      await assert.rejects(service.unary(check, {}, { timeoutMs: 60_000 }), { code: 'upstream_connect' })
    })
  })

  await t.test('resolves a host name', async () => {
    await using server = await grpcServer([unary(check, () => ({ status: { code: 0 } }))])
    const act = async (service: GrpcService) => {
      assert.equal((await service.unary(check, {}, { timeoutMs: 60_000 })).status?.code, 0)
    }
    await withService(server.port, act, {}, 'localhost')
  })

  await t.test('uses TLS, with the name of the service', async () => {
    using authority = makeAuthority()
    const { cert, key } = authority.issue('decider.test', ['DNS:decider.test', 'IP:127.0.0.1'])
    const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }
    const credentials = ServerCredentials.createSsl(null, [pair])
    await using server = await grpcServer([unary(check, () => ({ status: { code: 0 } }))], credentials)
    const strict = {
      rootFile: authority.certFile,
      insecure: false,
      insecureHost: false,
      subjectAltNames: [],
    }
    const act = async (service: GrpcService) => {
      assert.equal((await service.unary(check, {}, { timeoutMs: 60_000 })).status?.code, 0)
    }
    await withService(server.port, act, { backendTLS: strict })
    await withService(server.port, act, { backendTLS: { ...strict, hostname: 'decider.test' } })
    const fail = (service: GrpcService) =>
      assert.rejects(service.unary(check, {}, { timeoutMs: 60_000 }), { code: 'upstream_connect' })
    await withService(server.port, fail, { backendTLS: { ...strict, hostname: 'other.test' } })
    await withService(server.port, fail)
  })

  await t.test('uses no proxy of the environment', async () => {
    process.env.grpc_proxy = 'http://127.0.0.1:1'
    try {
      await using server = await grpcServer([unary(check, () => ({ status: { code: 0 } }))])
      await withService(server.port, async (service) => {
        await service.unary(check, {}, { timeoutMs: 60_000 })
      })
    } finally {
      delete process.env.grpc_proxy
    }
  })
})

test('a gRPC stream', async (t) => {
  await t.test('carries messages in both directions until one side ends it', async () => {
    await using server = await grpcServer([
      bidi(talk, (call) => {
        call.on('data', ({ request }: ProcessingRequest) => {
          if (request.case === 'requestBody')
            call.write({ response: { case: 'requestBody', value: { response: { clearRouteCache: true } } } })
        })
        call.on('end', () => call.end())
      }),
    ])
    await withService(server.port, async (service) => {
      const heard: string[] = []
      await new Promise<void>((resolve, reject) => {
        const stream = service.stream(
          talk,
          {
            message: ({ response }) => {
              heard.push(String(response.case))
              if (heard.length === 2) stream.finish()
            },
            ended: (fault) => (fault ? reject(fault) : resolve()),
          },
          { timeoutMs: undefined },
        )
        for (const text of ['a', 'b'])
          stream.send({ request: { case: 'requestBody', value: { body: Buffer.from(text) } } })
      })
      assert.deepEqual(heard, ['requestBody', 'requestBody'])
    })
  })

  await t.test('ends with a fault when the service aborts, and once only', async () => {
    await using server = await grpcServer([
      bidi(talk, (call) => {
        call.emit('error', Object.assign(new Error('broken'), { code: status.INTERNAL }))
      }),
    ])
    await withService(server.port, async (service) => {
      const fault = await new Promise((resolve) => {
        service.stream(talk, { message: () => undefined, ended: resolve }, { timeoutMs: 60_000 })
      })
      assert.equal((fault as { code?: string } | undefined)?.code, 'upstream_failed')
    })
  })

  await t.test('is cancelled by its signal', async () => {
    const leaving = new AbortController()
    await using server = await grpcServer([bidi(talk, () => leaving.abort())])
    await withService(server.port, async (service) => {
      const fault = await new Promise((resolve) => {
        const events = { message: () => undefined, ended: resolve }
        service.stream(talk, events, { timeoutMs: undefined, signal: leaving.signal })
      })
      assert.equal((fault as { code?: string } | undefined)?.code, 'abandoned')
    })
  })
})

test('the client of a gRPC service', async (t) => {
  await t.test('is kept over reloads, and closed with its last user', async () => {
    await using server = await grpcServer([unary(check, () => ({}))])
    const registry = new Registry()
    const target: SimpleBackend = { kind: 'host', target: { host: '127.0.0.1', port: server.port } }
    const load = (wanted: boolean) => {
      const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
      const service = wanted ? session.grpc(target, {}) : undefined
      session.commit(snapshotOf(backendsAt({})))
      return service
    }
    const first = load(true)
    assert.equal(load(true), first)
    assert.equal(registry.size, 1)
    load(false)
    registry.sweep()
    assert.equal(registry.size, 0)
    await registry.close()
  })
})

test('waiting for a gRPC service', async (t) => {
  await t.test('ends when there is a connection, at once if there is one', async () => {
    await using server = await grpcServer([bidi(talk, () => undefined)])
    await withService(server.port, async (service) => {
      const told: string[] = []
      const given = service.onConnected(() => told.push('given up'))
      const leaving = new AbortController()
      const ended = new Promise<void>((resolve) => {
        const stream = service.stream(
          talk,
          { message: () => undefined, ended: () => resolve() },
          { timeoutMs: undefined, signal: leaving.signal },
        )
        stream.send({})
      })
      given()
      await new Promise<void>((resolve) => service.onConnected(resolve))
      service.onConnected(() => told.push('at once'))
      assert.deepEqual(told, ['at once'])
      leaving.abort()
      await ended
    })
  })
})
