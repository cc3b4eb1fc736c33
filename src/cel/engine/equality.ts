import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { IpAddress, CelIpRange } from '../values/ip-address.ts'
import { refuseRepeated } from '../context/headers-view.ts'
import { chargeCost } from './cost-meter.ts'
import { isPlainObject } from '../values/values.ts'

/**
 * Whether two values are equal by the rules of CEL: numbers by value, whatever their types; lists and maps
 * member by member; values of different kinds are not equal. Secrets and views equal themselves only. A
 * repeated header is a list, and throws if it is compared with anything else.
 */
export const equals = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  switch (typeof a) {
    case 'bigint':
    case 'number':
      return typeof b === 'bigint' || typeof b === 'number'
        ? // eslint-disable-next-line eqeqeq -- compares across the two number types, without loss
          a == b
        : b instanceof UnsignedInt && equals(a, b.value)
    case 'object':
      break
    default:
      refuseRepeated(b)
      return false
  }
  if (a === null || b === null) return false
  if (!Array.isArray(b)) refuseRepeated(a)
  if (a instanceof UnsignedInt) return equals(a.value, b)
  return typeof b === 'object' && equalObjects(a, b)
}

/** A key in the form that maps use: integers of every type are one key. */
export const keyOf = (key: unknown): unknown => {
  if (key instanceof UnsignedInt) return key.value
  return typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : key
}

const equalObjects = (a: object, b: object): boolean => {
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a as unknown[], b as unknown[])
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime()
  if (a instanceof Duration) return b instanceof Duration && nanosOf(a) === nanosOf(b)
  if (a instanceof IpAddress) return b instanceof IpAddress && a.equals(b)
  if (a instanceof CelIpRange)
    return b instanceof CelIpRange && a.prefixLength === b.prefixLength && equalObjects(a.address, b.address)
  const left = membersOf(a)
  const right = membersOf(b)
  return left !== undefined && right !== undefined && equalMaps(left, right)
}

const equalLists = (a: readonly unknown[], b: readonly unknown[]): boolean => {
  chargeCost(1 + (a.length >> 3))
  return a.length === b.length && a.every((item, i) => equals(item, b[i]))
}

const equalMaps = (a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean => {
  chargeCost(1 + (a.size >> 2))
  if (a.size !== b.size) return false
  for (const [key, value] of a) {
    const other = b.get(key)
    if (other === undefined || !equals(value, other)) return false
  }
  return true
}

const membersOf = (value: object): ReadonlyMap<unknown, unknown> | undefined => {
  if (value instanceof Map) return value
  return isPlainObject(value) ? new Map(Object.entries(value)) : undefined
}

const nanosOf = ({ seconds, nanos }: Duration): bigint => seconds * 1_000_000_000n + BigInt(nanos)
