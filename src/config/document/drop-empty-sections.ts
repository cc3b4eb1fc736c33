import type { ConfigWarning } from '../../model/resources/resources.ts'
import type { ConfigDocument } from './document.ts'
import { segments } from './json-pointer.ts'

/**
 * Removes sections without a value, such as a `policies:` whose entries are commented out, with a warning. A
 * single policy without a value stays an error: `csrf:` shows an intention, and must be written `csrf: {}`.
 */
export function dropEmptySections(document: ConfigDocument): readonly ConfigWarning[] {
  const warnings: ConfigWarning[] = []
  for (const pointer of document.empty) {
    const path = segments(pointer)
    const name = path.at(-1) ?? ''
    if (!SECTIONS.has(name) && (path.length > 1 || name === '')) continue
    if (!remove(document.value, path)) continue
    const displayed = document.display(pointer)
    warnings.push({
      code: 'empty_section',
      path: displayed,
      ...document.keyAt(pointer),
      message: `${displayed} has no value and is taken as absent`,
    })
  }
  return warnings
}

const SECTIONS = new Set([
  'policies',
  'listeners',
  'routes',
  'tcpRoutes',
  'udpRoutes',
  'hostnames',
  'matches',
  'backends',
  'headers',
  'query',
])

function remove(root: unknown, path: readonly string[]): boolean {
  let at = root
  for (const segment of path.slice(0, -1)) at = (at as Record<string, unknown> | null)?.[segment]
  const last = path.at(-1)
  if (typeof at !== 'object' || at === null || last === undefined || Array.isArray(at)) return false
  return Reflect.deleteProperty(at, last)
}
