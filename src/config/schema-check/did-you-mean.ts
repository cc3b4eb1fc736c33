import { nearNames } from '../../cel/engine/suggest-names.ts'

/**
 * The known name that is most similar to a mistyped one; undefined if none is close.
 *
 * @example
 * nearest('pathprefix', ['exact', 'pathPrefix']) // 'pathPrefix'
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  return nearNames(name, known)[0]
}

/**
 * The known names that contain the words of `name`, or the reverse: at most three, none if there are more.
 *
 * @example
 * relatedNames('rateLimit', ['localRateLimit', 'remoteRateLimit', 'retry']) // the first two
 */
export function relatedNames(name: string, known: readonly string[]): readonly string[] {
  const word = stem(name)
  if (word.length < 3) return []
  const found = known.filter((one) => {
    const other = stem(one)
    return other.includes(word) || (other.length >= 4 && word.includes(other))
  })
  return found.length > 3 ? [] : found
}

/** In lower case, without a plural ending. */
const stem = (name: string): string => name.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '')
