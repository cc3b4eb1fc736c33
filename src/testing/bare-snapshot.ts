import type { Snapshot } from '../model/resources/snapshot.ts'
import { defaultFrontend } from '../streams/http/port/default-frontend.ts'

/** A snapshot without a port, a route or a policy, for exchanges that ask nothing of theirs. */
export const bareSnapshot: Snapshot = {
  hash: 'bare',
  binds: new Map(),
  exchanges: 0,
  resources: {
    binds: [],
    backends: [],
    policies: [],
    routeGroups: [],
    services: [],
    workloads: [],
    warnings: [],
    frontend: defaultFrontend,
  },
}
