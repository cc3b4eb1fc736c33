import { concatMap, type OperatorFunction } from 'rxjs'
import type { KeySetItem } from './sinks/jwks/store-key-sets.ts'
import type { DesiredState } from './translate/desired-state.ts'
import type { WantedKeySet } from './translate/jwks/key-set-sources.ts'

/** The key sets that differ from those before; those that are gone altogether are deleted once more, which does no harm. */
export const changedKeySets: OperatorFunction<DesiredState, KeySetItem> = (states$) => {
  let before = new Map<string, WantedKeySet>()
  return states$.pipe(
    concatMap(({ keySets }) => {
      const now = new Map(keySets.map((one) => [one.name, one]))
      const changed = keySets.filter((one) => !isSame(before.get(one.name), one))
      const gone = [...before.values()].filter(({ name, source }) => source && !now.has(name))
      before = now
      return [...changed, ...gone.map(({ name }): KeySetItem => ({ name, source: undefined }))]
    }),
  )
}

const isSame = (a: WantedKeySet | undefined, b: WantedKeySet): boolean =>
  a !== undefined && JSON.stringify(a.source) === JSON.stringify(b.source)
