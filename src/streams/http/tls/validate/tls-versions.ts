import { child } from '../../../../config/document/json-pointer.ts'
import type { ValidationContext } from '../../../../config/validate/context.ts'

/**
 * Checks that TLS versions are safe, and the lowest not above the highest.
 *
 * @param least Names of the field with the lowest version.
 * @param most Names of the field with the highest.
 */
export function checkTlsVersions(
  view: ValidationContext,
  pointer: string,
  least: readonly string[],
  most: readonly string[],
  tls: object,
): void {
  const versions = tls as Readonly<Record<string, string | undefined>>
  const usable = (names: readonly string[]): string | undefined => {
    for (const name of names) {
      const version = versions[name]
      if (version === 'TLS_V1_0' || version === 'TLS_V1_1') {
        const value = version
        view.wrongValue(child(pointer, name), 'is not safe any more: must be TLS_V1_2 or TLS_V1_3', { value })
      } else if (version !== undefined) return version
    }
    return undefined
  }
  const min = usable(least)
  const max = usable(most)
  if (min !== undefined && max !== undefined && min > max) {
    view.problem(pointer, `the lowest TLS version, ${min}, is above the highest, ${max}`)
  }
}
