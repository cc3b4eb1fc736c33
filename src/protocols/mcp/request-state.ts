import { createHash } from 'node:crypto'
import type { Owner } from '../../model/owner.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import type { SealRing } from '../seal/seal-ring.ts'

/** What the gateway must know when a client comes back with what it was asked for. */
export interface RequestState {
  /** The server that asked. */
  readonly target: string
  /** The server's own state, if it sent one. */
  readonly inner?: string | undefined
  /** The call that waits for the answers, where a server asked in the old way. */
  readonly pending?: string | undefined
  /** The replica on which it waits. */
  readonly owner?: Owner | undefined
  /** Whose request it was. */
  readonly principal: string
  /** Which request it was: see `requestDigest`. */
  readonly digest: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Writes it into a text that a client can keep. */
export const sealRequestState = (state: RequestState, ring: SealRing): string => {
  const { target, inner, pending, owner, principal, digest, expiresAt } = state
  const token: Token = {
    t: target,
    i: inner,
    q: pending,
    o: owner?.replica,
    h: owner?.address,
    p: principal,
    d: digest,
    e: expiresAt,
  }
  return ring.seal(JSON.stringify(token), PURPOSE)
}

/** @returns Undefined for what somebody else made, what is of another or for another request, and what came too late. */
export const openRequestState = (
  text: string,
  ring: SealRing,
  expected: Expected & { readonly digest: string },
): RequestState | undefined => {
  const state = opened(text, ring, expected)
  return state?.digest === expected.digest ? state : undefined
}

/**
 * Who has the call that waits. Which request it was is for that one to look at, who knows the server's names.
 *
 * @returns Undefined as by `openRequestState`.
 */
export const ownerOfRequestState = (text: string, ring: SealRing, expected: Expected): Owner | undefined =>
  opened(text, ring, expected)?.owner

const opened = (text: string, ring: SealRing, expected: Expected): RequestState | undefined => {
  const json = ring.open(text, PURPOSE)
  if (json === undefined) return undefined
  const { t, i, q, o, h, p, d, e } = JSON.parse(json) as Token
  if (p !== expected.principal || e <= expected.now) return undefined
  const owner = o === undefined ? undefined : { replica: o, address: h }
  return { target: t, inner: i, pending: q, owner, principal: p, digest: d, expiresAt: e }
}

interface Expected {
  readonly principal: string
  readonly now: number
}

/** The same for a request and for its retry: of the method and of what is asked, in whichever order it is written. */
export const requestDigest = (method: string, params: JsonObject | undefined): string => {
  const hash = createHash('sha256').update(JSON.stringify(method))
  for (const name of Object.keys(params ?? {}).sort())
    if (!changing.has(name)) hash.update(`,${JSON.stringify(name)}:${canonical(params?.[name])}`)
  return hash.digest('base64url')
}

/** What a retry has that the request had not, or has otherwise. */
const changing: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState'])

const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const object = value as JsonObject
  return `{${Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`)
    .join()}}`
}

interface Token {
  readonly t: string
  readonly i?: string | undefined
  readonly q?: string | undefined
  readonly o?: string | undefined
  readonly h?: string | undefined
  readonly p: string
  readonly d: string
  readonly e: number
}

const PURPOSE = 'mcp request state'
