import type { Resources, StaticTarget } from '../../src/model/resources/resources.ts'
import type { BackendPolicies } from '../../src/model/resources/policies.ts'
import type { Snapshot } from '../../src/model/resources/snapshot.ts'
import { bareSnapshot } from '../../src/testing/bare-snapshot.ts'

/** Resources with backends at these targets, by key. */
export const backendsAt = (
  targets: Readonly<Record<string, StaticTarget>>,
  policies: BackendPolicies = {},
): Resources => ({
  ...bareSnapshot.resources,
  backends: Object.entries(targets).map(([key, target]) => ({
    key,
    name: key,
    namespace: '',
    spec: { type: 'static', target },
    policies,
  })),
})

/** A snapshot of resources without requests. */
export const snapshotOf = (resources: Resources): Snapshot => ({ ...bareSnapshot, resources, exchanges: 0 })
