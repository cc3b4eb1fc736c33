import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { celError } from '../engine/eval-error.ts'
import { chargeCost } from '../engine/cost-meter.ts'
import type { FunctionGroup, Handler } from './function.ts'

type Numeric = number | bigint | UnsignedInt

const isNumber = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof UnsignedInt

const plainOf = (value: Numeric): number | bigint => (value instanceof UnsignedInt ? value.value : value)

/** The first of the values that no other value exceeds. */
const extreme = (
  beats: (a: number | bigint, b: number | bigint) => boolean,
  values: readonly unknown[],
): Numeric => {
  let best: Numeric | undefined
  for (const value of values) {
    if (!isNumber(value)) throw celError('no_such_overload', 'only numbers can be compared here')
    if (best === undefined || beats(plainOf(value), plainOf(best))) best = value
  }
  if (best === undefined) throw celError('no_such_overload', 'nothing to choose from')
  return best
}

const greatest = (values: readonly unknown[]): Numeric => extreme((a, b) => a > b, values)
const least = (values: readonly unknown[]): Numeric => extreme((a, b) => a < b, values)

/** Signatures for one list, or for one to eight values. */
const variadic = (
  name: string,
  choose: (values: readonly unknown[]) => Numeric,
  namespace?: string,
): Record<string, Handler> => {
  const handlers: Record<string, Handler> = {}
  const prefix = namespace === undefined ? '' : `${namespace}.`
  for (let count = 1; count <= 8; count++)
    handlers[`${prefix}${name}(${Array(count).fill('dyn').join(', ')}): dyn`] = (...args: unknown[]) => {
      const values = namespace === undefined ? args : args.slice(1)
      const [first] = values
      return choose(values.length === 1 && Array.isArray(first) ? (first as unknown[]) : values)
    }
  return handlers
}

const rounding = (name: string, description: string, round: (value: number) => number) => ({
  usage: `math.${name}(x)`,
  description,
  overloads: { [`math.${name}(double): double`]: (_: unknown, value: number) => round(value) },
})

const predicate = (name: string, description: string, test: (value: number) => boolean) => ({
  usage: `math.${name}(x)`,
  description,
  overloads: { [`math.${name}(double): bool`]: (_: unknown, value: number) => test(value) },
})

/** `second`: the type of the other operand where the first is unsigned. */
const bitwise = (
  name: string,
  description: string,
  operate: (a: bigint, b: bigint) => bigint,
  second: 'uint' | 'int' = 'uint',
) => ({
  usage: `math.${name}(a, b)`,
  description,
  overloads: {
    [`math.${name}(int, int): int`]: (_: unknown, a: bigint, b: bigint) => BigInt.asIntN(64, operate(a, b)),
    [`math.${name}(uint, ${second}): uint`]: (_: unknown, a: UnsignedInt, b: UnsignedInt | bigint) =>
      unsigned(operate(a.value, plainOf(b) as bigint)),
  },
})

/** The same for bytes of equal length. */
const byByte = (
  name: string,
  description: string,
  operate: (a: bigint, b: bigint) => bigint,
  operateOnByte: (a: number, b: number) => number,
) => {
  const numbers = bitwise(name, `${description} Of bytes, both must be as long.`, operate)
  const onBytes = (_: unknown, a: Uint8Array, b: Uint8Array): Uint8Array => {
    if (a.length !== b.length)
      throw celError('invalid_argument', `math.${name}: the bytes are not of one length`)
    chargeCost(a.length >> 6)
    return a.map((byte, i) => operateOnByte(byte, b[i] as number))
  }
  return { ...numbers, overloads: { ...numbers.overloads, [`math.${name}(bytes, bytes): bytes`]: onBytes } }
}

const unsigned = (value: bigint): UnsignedInt => new UnsignedInt(BigInt.asUintN(64, value))

const shift = (bits: bigint): bigint => {
  if (bits < 0n) throw celError('invalid_argument', 'a shift must not be negative')
  return bits > 64n ? 64n : bits
}

const halfAwayFromZero = (value: number): number => Math.sign(value) * Math.round(Math.abs(value))

const absolute = (_: unknown, value: bigint): bigint => {
  if (value === -(1n << 63n)) throw celError('numeric_overflow', 'math.abs: integer overflow')
  return value < 0n ? -value : value
}

/** Functions on numbers. */
export const math: FunctionGroup = {
  title: 'Numbers',
  namespaces: ['math'],
  functions: [
    {
      usage: 'math.greatest(a, b, …), max(a, b, …)',
      description: 'The greatest of up to eight numbers, or of a list.',
      overloads: { ...variadic('greatest', greatest, 'math'), ...variadic('max', greatest) },
    },
    {
      usage: 'math.least(a, b, …), min(a, b, …)',
      description: 'The least of up to eight numbers, or of a list.',
      overloads: { ...variadic('least', least, 'math'), ...variadic('min', least) },
    },
    rounding('ceil', 'Rounded up.', Math.ceil),
    rounding('floor', 'Rounded down.', Math.floor),
    rounding('round', 'Rounded to the nearest; halves away from zero.', halfAwayFromZero),
    rounding('trunc', 'Without the fraction.', Math.trunc),
    predicate('isInf', 'Whether it is infinite.', (x) => Math.abs(x) === Infinity),
    predicate('isNaN', 'Whether it is not a number.', Number.isNaN),
    predicate('isFinite', 'Whether it is neither.', Number.isFinite),
    {
      usage: 'math.abs(x)',
      description: 'Without its sign.',
      overloads: {
        'math.abs(int): int': absolute,
        'math.abs(uint): uint': (_: unknown, value: UnsignedInt) => value,
        'math.abs(double): double': (_: unknown, value: number) => Math.abs(value),
      },
    },
    {
      usage: 'math.sign(x)',
      description: '-1, 0 or 1.',
      overloads: {
        'math.sign(int): int': (_: unknown, value: bigint) => (value > 0n ? 1n : value < 0n ? -1n : 0n),
        'math.sign(uint): uint': (_: unknown, { value }: UnsignedInt) => unsigned(value > 0n ? 1n : 0n),
        'math.sign(double): double': (_: unknown, value: number) => Math.sign(value),
      },
    },
    {
      usage: 'math.sqrt(x)',
      description: 'Square root.',
      overloads: {
        'math.sqrt(double): double': (_: unknown, value: number) => Math.sqrt(value),
        'math.sqrt(int): double': (_: unknown, value: bigint) => Math.sqrt(Number(value)),
      },
    },
    byByte(
      'bitAnd',
      'Bits set in both.',
      (a, b) => a & b,
      (a, b) => a & b,
    ),
    byByte(
      'bitOr',
      'Bits set in either.',
      (a, b) => a | b,
      (a, b) => a | b,
    ),
    byByte(
      'bitXor',
      'Bits set in one only.',
      (a, b) => a ^ b,
      (a, b) => a ^ b,
    ),
    {
      usage: 'math.bitNot(x)',
      description: 'Every bit turned over.',
      overloads: {
        'math.bitNot(int): int': (_: unknown, value: bigint) => ~value,
        'math.bitNot(uint): uint': (_: unknown, { value }: UnsignedInt) => unsigned(~value),
      },
    },
    bitwise('bitShiftLeft', 'Shifted left; bits that leave are lost.', (a, b) => a << shift(b), 'int'),
    bitwise(
      'bitShiftRight',
      'Shifted right; zeros come in.',
      (a, b) => BigInt.asUintN(64, a) >> shift(b),
      'int',
    ),
  ],
}
