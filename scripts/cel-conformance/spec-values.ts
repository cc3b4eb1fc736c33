import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js'
import { fromBinary } from '@bufbuild/protobuf'
import { type Any, DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'

/** A value that cannot occur in a gateway. */
export class ForeignValue extends Error {}

/** Converts a value of the specification's tests to one of expressions. */
export const valueOf = ({ kind }: Value): unknown => {
  switch (kind.case) {
    case 'nullValue':
      return null
    case 'int64Value':
    case 'doubleValue':
    case 'stringValue':
    case 'bytesValue':
    case 'boolValue':
      return kind.value
    case 'uint64Value':
      return new UnsignedInt(kind.value)
    case 'listValue':
      return kind.value.values.map(valueOf)
    case 'mapValue':
      return new Map(
        kind.value.entries.map(({ key, value }) => [valueOf(key as Value), valueOf(value as Value)]),
      )
    case 'typeValue':
      return new TypeName(kind.value)
    case 'objectValue':
      return timeOf(kind.value)
    default:
      throw new ForeignValue(String(kind.case))
  }
}

/** A type, by its name in the specification. */
export class TypeName {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const timeOf = ({ typeUrl, value }: Any): unknown => {
  if (typeUrl.endsWith('/google.protobuf.Timestamp')) {
    const { seconds, nanos } = fromBinary(TimestampSchema, value)
    return new Date(Number(seconds) * 1000 + nanos / 1e6)
  }
  if (typeUrl.endsWith('/google.protobuf.Duration')) {
    const { seconds, nanos } = fromBinary(DurationSchema, value)
    return nanos < 0 ? new Duration(seconds - 1n, nanos + 1e9) : new Duration(seconds, nanos)
  }
  throw new ForeignValue(typeUrl)
}

/** Whether two values are identical: of one type, and NaN equals NaN. */
export const isSame = (actual: unknown, expected: unknown): boolean => {
  if (typeof expected !== 'object' || expected === null)
    return Object.is(actual, expected) || isZero(actual, expected)
  if (typeof actual !== 'object' || actual === null) return false
  if (expected instanceof TypeName) return isType(actual, expected.name)
  if (expected instanceof UnsignedInt) return actual instanceof UnsignedInt && actual.value === expected.value
  if (expected instanceof Uint8Array)
    return actual instanceof Uint8Array && Buffer.compare(actual, expected) === 0
  if (expected instanceof Date) return actual instanceof Date && actual.getTime() === expected.getTime()
  if (expected instanceof Duration) return actual instanceof Duration && nanosOf(actual) === nanosOf(expected)
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((one, i) => isSame(actual[i], one))
    )
  return expected instanceof Map && isSameMap(actual, expected)
}

const isZero = (actual: unknown, expected: unknown): boolean => actual === 0 && expected === 0

const nanosOf = ({ seconds, nanos }: Duration): bigint => seconds * 1_000_000_000n + BigInt(nanos)

const isSameMap = (actual: object, expected: ReadonlyMap<unknown, unknown>): boolean => {
  const entries: [unknown, unknown][] = actual instanceof Map ? [...actual] : Object.entries(actual)
  return (
    entries.length === expected.size &&
    [...expected].every(([key, value]) => entries.some(([k, v]) => isSame(k, key) && isSame(v, value)))
  )
}

/** Types have names; that of null differs in the specification. */
const isType = (actual: object, name: string): boolean =>
  'name' in actual && (actual.name === name || (actual.name === 'null' && name === 'null_type'))
