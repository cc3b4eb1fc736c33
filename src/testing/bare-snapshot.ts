import type { Snapshot } from '../model/snapshot.ts'

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
    frontend: {
      http: {
        maxBufferBytes: 2_097_152,
        maxHeaders: 100,
        maxHeaderBytes: 16_384,
        idleTimeoutMs: 600_000,
        headersTimeoutMs: 10_000,
        requestBodyTimeoutMs: 0,
        headerCase: 'lowercase',
        halfCloseGraceMs: 5_000,
        upgrades: ['websocket'],
        path: { mergeSlashes: false, encodedSlashes: 'refuse' },
      },
      tls: { handshakeTimeoutMs: 15_000 },
      connect: { mode: 'deny' },
      admission: { maxExchanges: 10_000, lagMs: 1_000, lagForMs: 3_000 },
    },
  },
}
