import type { Owner } from '../../model/owner.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import type { SealRing } from '../seal/seal-ring.ts'

/** A session with one of the servers. */
export interface TargetSession {
  readonly target: string
  /** What the server calls it, if it has a name for it. */
  readonly session?: string | undefined
  /** The one endpoint of the server's that knows it. */
  readonly endpoint?: string | undefined
  readonly revision?: string | undefined
}

/** All that is known of a client's session: whoever has the key can go on with it. */
export interface SessionState {
  readonly targets: readonly TargetSession[]
  readonly revision: string
  /** Tells sessions apart that would look alike. */
  readonly random?: string | undefined
  /** The replica that holds what cannot be written down, such as processes. */
  readonly owner?: Owner | undefined
  /** Whose session it is. */
  readonly principal?: string | undefined
  /** The client's. */
  readonly capabilities?: JsonObject | undefined
  readonly clientInfo?: JsonObject | undefined
  /** Milliseconds since 1970. */
  readonly issuedAt: number
}

/** Writes a session into the text that its client is given as its id, good for one backend. */
export const sealSession = (state: SessionState, ring: SealRing, backend: string): string => {
  const { targets, revision, random, owner, principal, capabilities, clientInfo, issuedAt } = state
  // One letter a member: the text comes with every request.
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

/** @returns Undefined for whatever was not made by `sealSession` with one of the keys for this backend. */
export const openSession = (text: string, ring: SealRing, backend: string): SessionState | undefined => {
  const json = ring.open(text, purposeFor(backend))
  if (json === undefined) return undefined
  // Sealed for this purpose, it is what was written above.
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
