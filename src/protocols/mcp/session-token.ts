import type { Owner } from '../../model/resources/replica.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import type { Keyring } from '../seal/aead-keyring.ts'

/** A session with one of the servers. */
export interface TargetSession {
  readonly target: string
  /** The server's session id, if any. */
  readonly session?: string | undefined
  /** The endpoint of the server that has it. */
  readonly endpoint?: string | undefined
  readonly revision?: string | undefined
}

/** The state of a client's session: any process with the key can continue it. */
export interface SessionState {
  readonly targets: readonly TargetSession[]
  readonly revision: string
  /** Makes equal sessions distinct. */
  readonly random?: string | undefined
  /** The replica that has state which cannot be sealed, such as processes. */
  readonly owner?: Owner | undefined
  /** The principal of the session. */
  readonly principal?: string | undefined
  /** The client's. */
  readonly capabilities?: JsonObject | undefined
  readonly clientInfo?: JsonObject | undefined
  /** Milliseconds since 1970. */
  readonly issuedAt: number
}

/** Seals a session in its id, which is valid for one backend. */
export const sealSession = (state: SessionState, ring: Keyring, backend: string): string => {
  const { targets, revision, random, owner, principal, capabilities, clientInfo, issuedAt } = state
  // Single letters: the id comes with every request.
  const token: Token = {
    t: 'mcp',
    s: targets.map(({ target, session, endpoint, revision: own }) => ({
      t: target,
      s: session,
      b: endpoint,
      v: own,
    })),
    v: revision,
    r: random,
    o: owner?.replica,
    h: owner?.address,
    p: principal,
    c: capabilities,
    i: clientInfo,
    a: issuedAt,
  }
  return ring.seal(JSON.stringify(token), purposeFor(backend))
}

/** @returns Undefined for ids not made by `sealSession` with one of the keys for this backend. */
export const openSession = (text: string, ring: Keyring, backend: string): SessionState | undefined => {
  const json = ring.open(text, purposeFor(backend))
  if (json === undefined) return undefined
  // The seal guarantees the form.
  const { s, v, r, o, h, p, c, i, a } = JSON.parse(json) as Token
  return {
    targets: s.map(({ t, s: session, b, v: own }) => ({ target: t, session, endpoint: b, revision: own })),
    revision: v,
    random: r,
    owner: o === undefined ? undefined : { replica: o, address: h },
    principal: p,
    capabilities: c,
    clientInfo: i,
    issuedAt: a,
  }
}

interface Token {
  readonly t: 'mcp'
  readonly s: readonly {
    readonly t: string
    readonly s?: string | undefined
    readonly b?: string | undefined
    readonly v?: string | undefined
  }[]
  readonly v: string
  readonly r?: string | undefined
  readonly o?: string | undefined
  readonly h?: string | undefined
  readonly p?: string | undefined
  readonly c?: JsonObject | undefined
  readonly i?: JsonObject | undefined
  readonly a: number
}

const purposeFor = (backend: string): string => `mcp session ${backend}`
