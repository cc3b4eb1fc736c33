import { nearNames } from '../cel/near-names.ts'

/**
 * The known name that a mistyped one was probably meant to be, or nothing if none is close.
 *
 * @example
 * nearest('pathprefix', ['exact', 'pathPrefix']) // 'pathPrefix'
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  return nearNames(name, known)[0]
}
