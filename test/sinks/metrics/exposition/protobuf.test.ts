import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { metricsProtobuf } from '../../../../src/sinks/metrics/exposition/protobuf.ts'
import type { FamilyPart, HistogramReport } from '../../../../src/sinks/metrics/report/metrics-report.ts'

type Field = number | Uint8Array
/** The fields of a message by number. Varints as they are, 64 bits as a double. */
const fieldsOf = (bytes: Uint8Array): ReadonlyMap<number, readonly Field[]> => {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, Field[]>()
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const value =
      type === WireType.Varint
        ? Number(reader.uint64())
        : type === WireType.Bit64
          ? reader.double()
          : reader.bytes()
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}
/** The messages in field `number`. */
const messages = (fields: ReadonlyMap<number, readonly Field[]>, number: number) =>
  (fields.get(number) ?? []).map((field) => fieldsOf(field as Uint8Array))
const zigzag = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)
const text = (field: Field | undefined) => new TextDecoder().decode(field as Uint8Array)

/** The families of a delimited stream. */
const familiesOf = (report: readonly FamilyPart[]) => {
  const reader = new BinaryReader(Buffer.concat([...metricsProtobuf(report)]))
  const families = []
  while (reader.pos < reader.len) families.push(fieldsOf(reader.bytes()))
  return families
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const histogram: HistogramReport = {
  ...{ labels: 'a="1",b="x\\"y"', count: 5, sum: 2.5, bounds: [1, 2], counts: [2, 1, 2] },
  exemplars: [undefined, { traceId, value: 1.5, atSeconds: 1700000000.25 }, undefined],
  native: {
    schema: 3,
    zeroCount: 1,
    buckets: [
      [-3, 1],
      [-2, 2],
      [5, 1],
    ],
  },
}

test('the protobuf format has a delimited message for each family, in parts or not', () => {
  const counter = { name: 'c', type: 'counter', help: 'h', merge: 'sum' } as const
  const families = familiesOf([
    { name: 'build', type: 'info', help: 'i', merge: 'first', series: [{ labels: 'tag="1"', value: 1 }] },
    { name: 'empty', type: 'gauge', help: 'e', merge: 'sum', series: [] },
    { ...counter, series: [{ labels: '', value: 1 }] },
    { ...counter, series: [{ labels: 'a="1"', value: 2 }] },
  ])
  assert.deepEqual(
    families.map((family) => [
      text(family.get(1)?.[0]),
      text(family.get(2)?.[0]),
      family.get(3)?.[0],
      family.get(4)?.length,
    ]),
    [
      ['build_info', 'i', 1, 1],
      ['c_total', 'h', 0, 2],
    ],
  )
  const [, second] = messages(families[1] ?? new Map<number, Field[]>(), 4)
  assert.deepEqual(messages(second!, 3)[0]?.get(1), [2])
})

test('the protobuf format has classic and native buckets, and exemplars', () => {
  const [family] = familiesOf([{ name: 'd', type: 'histogram', help: '', merge: 'sum', series: [histogram] }])
  const [metric] = messages(family!, 4)
  assert.deepEqual(
    messages(metric!, 1).map((pair) => [text(pair.get(1)?.[0]), text(pair.get(2)?.[0])]),
    [
      ['a', '1'],
      ['b', 'x"y'],
    ],
  )
  const [written] = messages(metric!, 7)
  assert.deepEqual([written!.get(1), written!.get(2)], [[5], [2.5]])
  const buckets = messages(written!, 3)
  assert.deepEqual(
    buckets.map((bucket) => [bucket.get(1)?.[0], bucket.get(2)?.[0]]),
    [
      [2, 1],
      [3, 2],
      [5, Infinity],
    ],
  )
  const [exemplar] = messages(buckets[1]!, 3)
  assert.equal(text(messages(exemplar!, 1)[0]?.get(2)?.[0]), traceId)
  assert.deepEqual([...messages(exemplar!, 3)[0]!.values()], [[1700000000], [250000000]])
  assert.deepEqual(
    [zigzag(Number(written!.get(5)?.[0])), written!.get(6), written!.get(7)],
    [3, [2 ** -128], [1]],
  )
  const spans = messages(written!, 12).map((span) => [zigzag(Number(span.get(1)?.[0])), span.get(2)?.[0]])
  assert.deepEqual(spans, [
    [-3, 2],
    [6, 1],
  ])
  assert.deepEqual(
    written!.get(13)?.map((delta) => zigzag(Number(delta))),
    [1, 1, -1],
  )
})
