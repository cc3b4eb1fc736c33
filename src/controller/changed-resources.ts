import { concatMap, type OperatorFunction } from 'rxjs'
import type { ResourceTree } from '../config/xds/resource-tree.ts'
import type { DesiredState } from './translate/desired-state.ts'

/** The resources of proxies of one role; undefined if the role is gone. */
export interface RoleResources {
  readonly role: string
  readonly resources: ResourceTree | undefined
}

/** The resources that differ from those before, by the role of the proxies. */
export const changedResources: OperatorFunction<DesiredState, RoleResources> = (states$) => {
  let before = new Map<string, ResourceTree>()
  return states$.pipe(
    concatMap(({ gateways }) => {
      const now = new Map(
        gateways.flatMap(({ role, resources }) => (role === undefined ? [] : [[role, resources] as const])),
      )
      const changed = [...now].flatMap(([role, resources]): RoleResources[] =>
        before.get(role) === resources ? [] : [{ role, resources }],
      )
      const gone = [...before.keys()].flatMap((role): RoleResources[] =>
        now.has(role) ? [] : [{ role, resources: undefined }],
      )
      before = now
      return [...changed, ...gone]
    }),
  )
}
