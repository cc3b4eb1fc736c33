import { map, type Observable } from 'rxjs'
import type { ResourceTree } from '../config/xds/resource-tree.ts'
import { changedItems } from './changed-items.ts'
import type { DesiredState } from './translate/desired-state.ts'

/** The resources of proxies of one role; undefined if the role is gone. */
export interface RoleResources {
  readonly role: string
  readonly resources: ResourceTree | undefined
}

/** The resources that differ from those before, by the role of the proxies. */
export const changedResources = (states$: Observable<DesiredState>): Observable<RoleResources> =>
  states$.pipe(
    map(({ gateways }) =>
      gateways.flatMap(({ role, resources }): readonly RoleResources[] =>
        role === undefined ? [] : [{ role, resources }],
      ),
    ),
    changedItems<RoleResources, RoleResources>({
      keyOf: ({ role }) => role,
      isSame: (before, now) => before.resources === now.resources,
      goneOf: ({ role }) => ({ role, resources: undefined }),
    }),
  )
