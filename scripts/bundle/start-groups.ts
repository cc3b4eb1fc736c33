import { resolve } from 'node:path'
import type { CodeSplittingOptions } from 'rolldown'

/** Returns the ids of the modules that a module imports, at once and later. */
type InfoOf = (id: string) => Imports | null
interface Imports {
  readonly importedIds: readonly string[]
  readonly dynamicallyImportedIds: readonly string[]
}

/**
 * Puts what every start of the gateway loads into a few files rather than sixty.
 * Modules that other programs share are grouped by those, so that none loads what it does not use.
 */
export const startGroups = (): CodeSplittingOptions => {
  const kinds = new Map<string, string>()
  let isKnown = false
  const kindOf = (id: string, infoOf: InfoOf): string | undefined => {
    if (!isKnown) for (const [module, kind] of allKinds(infoOf)) kinds.set(module, kind)
    isKnown = true
    return kinds.get(id)
  }
  return {
    groups: orderOfKinds.map((kind, i) => ({
      name: (id, context) => (kindOf(id, (one) => context.getModuleInfo(one)) === kind ? kind : null),
      debugName: kind,
      // What a module imports is used by the same programs or more: with those taken first, a group has no import
      // that leads back.
      priority: orderOfKinds.length - i,
    })),
  }
}

/**
 * What prepares a process is loaded before the rest. Packages are apart: they have no source maps. A letter for each use: the gateway, the control plane, each start
 * of agctl, some commands of agctl.
 */
const orderOfKinds = [
  'prepare',
  ...['gcsa', 'gca', 'gsa', 'ga', 'gc', 'g'].flatMap((uses) => [`packages-${uses}`, `start-${uses}`]),
]

const allKinds = (infoOf: InfoOf): Map<string, string> => {
  const prepare = reached(['src/prepare-process.ts'], infoOf)
  const others = {
    c: reached(['src/controller/run-controller.ts'], infoOf),
    s: reached(['src/cli/agctl.ts'], infoOf),
    a: reached(['src/cli/agctl.ts'], infoOf, true),
  }
  const kindOf = (id: string): string => {
    if (prepare.has(id)) return 'prepare'
    const uses = Object.entries(others).flatMap(([letter, ids]) => (ids.has(id) ? [letter] : []))
    return `${id.startsWith(resolve('src')) ? 'start' : 'packages'}-g${uses.join('')}`
  }
  const gateway = reached(['src/command.ts'], infoOf)
  return new Map(Array.from(new Set([...prepare, ...gateway]), (id) => [id, kindOf(id)]))
}

/** What these modules import, directly or not; `later` includes what is loaded on demand. */
const reached = (entries: readonly string[], infoOf: InfoOf, later = false): Set<string> => {
  const found = new Set<string>()
  const pending = entries.map((path) => resolve(path))
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const info = found.has(id) ? null : infoOf(id)
    if (!info) continue
    found.add(id)
    pending.push(...info.importedIds, ...(later ? info.dynamicallyImportedIds : []))
  }
  return found
}
