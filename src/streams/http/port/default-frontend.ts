import type { FrontendPolicies } from '../../../model/resources/frontend-policies.ts'

/** Defaults for connections and requests; also the meaning of an empty configuration. */
export const defaultFrontend: FrontendPolicies = {
  http: {
    maxBufferBytes: 2_097_152,
    maxHeaders: 100,
    maxHeaderBytes: 65_536,
    idleTimeoutMs: 600_000,
    headersTimeoutMs: 30_000,
    requestBodyTimeoutMs: 0,
    headerCase: 'lowercase',
    halfCloseGraceMs: 5_000,
    upgrades: ['websocket'],
    path: { mergeSlashes: false, encodedSlashes: 'refuse' },
    maxHops: 5,
    serverTiming: false,
  },
  tls: { handshakeTimeoutMs: 15_000 },
  connect: { mode: 'deny' },
  admission: { maxExchanges: 10_000, lagMs: 1_000, lagForMs: 3_000 },
}
