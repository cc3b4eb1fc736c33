import { createHash } from 'node:crypto'
import type { Owner } from '../../model/resources/replica.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import type { Keyring } from '../seal/aead-keyring.ts'

/** State of a request that the client repeats with input. */
export interface RequestState {
  /** The server that requested input. */
  readonly target: string
  /** The server's own state, if it sent one. */
  readonly inner?: string | undefined
  /** The suspended call, where a server with sessions sent requests. */
  readonly pending?: string | undefined
  /** The replica that has the call. */
  readonly owner?: Owner | undefined
  /** The principal of the request. */
  readonly principal: string
  /** Digest of the request: see `requestDigest`. */
  readonly digest: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Seals it in a text that the client stores. */
export const sealRequestState = (state: RequestState, ring: Keyring): string => {
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

/** @returns Undefined for forged and expired states, and those of another principal or request. */
export const openRequestState = (
  text: string,
  ring: Keyring,
  expected: Expected & { readonly digest: string },
): RequestState | undefined => {
  const state = openToken(text, ring, expected)
  return state?.digest === expected.digest ? state : undefined
}

/**
 * The replica that has the suspended call. That replica checks the digest, since it has the server's names.
 *
 * @returns Undefined as by `openRequestState`.
 */
export const ownerOfRequestState = (text: string, ring: Keyring, expected: Expected): Owner | undefined =>
  openToken(text, ring, expected)?.owner

const openToken = (text: string, ring: Keyring, expected: Expected): RequestState | undefined => {
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

/** A digest that is equal for a request and its retry: of method and params, independent of member order. */
export const requestDigest = (method: string, params: JsonObject | undefined): string => {
  const hash = createHash('sha256').update(JSON.stringify(method))
  for (const name of Object.keys(params ?? {}).sort())
    if (!changing.has(name)) hash.update(`,${JSON.stringify(name)}:${canonical(params?.[name])}`)
  return hash.digest('base64url')
}

/** Members that differ between a request and its retry. */
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
