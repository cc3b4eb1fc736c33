import { conversions } from './conversions.ts'
import { encoding } from './encoding.ts'
import type { FunctionGroup } from './function.ts'
import { headers } from './headers.ts'
import { impure } from './nondeterministic.ts'
import { maps } from './maps.ts'
import { math } from './math.ts'
import { network } from './network.ts'
import { strings } from './strings.ts'
import { registeredAs, timeFunctionNames, times } from './times.ts'

/** Every function that evaluates its arguments, in the order of the reference. */
export const functionGroups: readonly FunctionGroup[] = [
  conversions,
  times,
  strings,
  headers,
  encoding,
  maps,
  math,
  network,
  impure,
]

/**
 * Calls that are redirected from a function of the library to our own: `call` or `rcall`, name and number of
 * arguments → registered name. The library does not allow an overload to be replaced.
 */
export const replacedFunctions: ReadonlyMap<string, string> = new Map([
  ['call int 1', 'toInt'],
  ['call duration 1', 'toDuration'],
  ['call string 1', 'toText'],
  ['call timestamp 1', 'toTimestamp'],
  ['rcall join 0', 'joined'],
  ['rcall join 1', 'joined'],
  ['rcall trim 0', 'trimmed'],
  ...timeFunctionNames.flatMap((name) =>
    [0, 1].map((count) => [`rcall ${name} ${count}`, registeredAs(name)] as const),
  ),
  ['rcall lowerAscii 0', 'asciiLower'],
  ['rcall upperAscii 0', 'asciiUpper'],
  ['rcall json 0', 'jsonValue'],
])
