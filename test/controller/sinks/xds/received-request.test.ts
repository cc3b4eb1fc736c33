import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type ReceivedRequest, requestSteps } from '../../../../src/controller/sinks/xds/received-request.ts'
import { DeltaDiscoveryRequestSchema } from '../../../../src/protocols/xds/discovery.gen.ts'

type Fields = MessageInitShape<typeof DeltaDiscoveryRequestSchema>

const encode = (fields: Fields): Uint8Array =>
  toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, fields))

const decode = (bytes: Uint8Array): { readonly request: ReceivedRequest; readonly parts: number } => {
  const steps = requestSteps(bytes)
  for (let parts = 0; ; parts++) {
    const step = steps.next()
    if (step.done) return { request: step.value, parts }
  }
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}/namespace/name-${index}`)

test('has all fields, however many parts they are in', () => {
  for (const count of [0, 1, 4_000]) {
    const { request, parts } = decode(
      encode({
        node: { id: 'proxy', metadata: { role: 'ns~web' } },
        typeUrl: 'type',
        resourceNamesSubscribe: names('a', count),
        resourceNamesUnsubscribe: names('b', count),
        initialResourceVersions: Object.fromEntries(names('c', count).map((name) => [name, `v-${name}`])),
        responseNonce: 'nonce',
        errorDetail: { code: 3, message: 'refused' },
      }),
    )
    assert.ok(count < 4_000 || parts > 10, `${parts} parts`)
    assert.equal(request.node?.id, 'proxy')
    assert.deepEqual(request.node.metadata, { role: 'ns~web' })
    assert.deepEqual([request.typeUrl, request.responseNonce], ['type', 'nonce'])
    assert.deepEqual(request.resourceNamesSubscribe, names('a', count))
    assert.deepEqual(request.resourceNamesUnsubscribe, names('b', count))
    assert.deepEqual(
      [...request.versions],
      names('c', count).map((name) => [name, `v-${name}`]),
    )
    assert.equal(request.errorDetail?.message, 'refused')
  }
})

test('keeps what comes before and after a long list', () => {
  const { request } = decode(
    Buffer.concat([
      encode({ typeUrl: 'type', responseNonce: 'first' }),
      encode({ resourceNamesSubscribe: names('a', 1_000) }),
      encode({ responseNonce: 'last', initialResourceVersions: { a: '1' } }),
      encode({ initialResourceVersions: { a: '2', constructor: '3' } }),
    ]),
  )
  assert.deepEqual([request.typeUrl, request.responseNonce], ['type', 'last'])
  assert.deepEqual(
    [...request.versions],
    [
      ['a', '2'],
      ['constructor', '3'],
    ],
  )
})

test('refuses bytes that are no request', () => {
  const bytes = encode({ resourceNamesSubscribe: names('a', 1_000) })
  for (const wrong of [Uint8Array.of(255), bytes.subarray(0, -1), Uint8Array.of(10, 1, 255)])
    assert.throws(() => decode(wrong))
})
