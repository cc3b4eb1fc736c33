import { concatMap, type OperatorFunction } from 'rxjs'
import type { HeldClass } from './sinks/hold-classes.ts'
import type { ClassUse } from './translate/gateway-class/class-use.ts'
import type { DesiredState } from './translate/desired-state.ts'

/** The classes whose use differs from that before, and those that are no longer ours. */
export const changedClasses: OperatorFunction<DesiredState, HeldClass> = (states$) => {
  let before = new Map<string, ClassUse>()
  return states$.pipe(
    concatMap(({ classes }) => {
      const now = new Map(classes.map((use) => [use.key, use]))
      const changed: HeldClass[] = classes.filter((use) => before.get(use.key) !== use)
      const gone = [...before.keys()].filter((key) => !now.has(key))
      before = now
      return [...changed, ...gone.map((key): HeldClass => ({ key, isUsed: undefined }))]
    }),
  )
}
