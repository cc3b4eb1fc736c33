import { conversions } from './conversions.ts'
import { encoding } from './encoding.ts'
import type { FunctionGroup } from './function.ts'
import { headers } from './headers.ts'
import { impure } from './impure.ts'
import { maps } from './maps.ts'
import { math } from './math.ts'
import { network } from './network.ts'
import { strings } from './strings.ts'
import { registeredAs, timeFunctionNames, times } from './times.ts'

/** Every function that evaluates its arguments, as the reference prints them. */
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
 * Calls that go to a function of our own in place of the library's: `call` or `rcall`, name and number of arguments →
 * the name it is registered under. The library does not let an overload be replaced.
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
