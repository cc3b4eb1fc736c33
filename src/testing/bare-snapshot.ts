import type { Snapshot } from '../model/resources/snapshot.ts'
import { defaultFrontend } from '../streams/http/port/default-frontend.ts'

/** A snapshot without ports, routes and policies, for exchanges that need none. */
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
