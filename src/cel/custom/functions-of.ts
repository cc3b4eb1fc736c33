import { type CustomFunctions, customFunctions, noCustomFunctions } from './custom-functions.ts'
import { trackCache } from '../../model/introspection/cache-usage.ts'

/**
 * The functions that a configuration defines. The last few are cached, since the same text is compiled
 * several times: when a file is validated, when it is applied, and for its access log.
 *
 * @param text Their definitions; none without.
 * @throws {CelError} for definitions that are wrong.
 */
export const functionsOf = (text: string | undefined): CustomFunctions => {
  if (text === undefined) return noCustomFunctions
  let functions = kept.get(text)
  if (!functions) {
    functions = customFunctions(text)
    if (kept.size >= most) kept.delete(kept.keys().next().value as string)
    kept.set(text, functions)
  }
  return functions
}

const most = 4
const kept = trackCache('cel_functions', new Map<string, CustomFunctions>(), { maxEntries: most })
