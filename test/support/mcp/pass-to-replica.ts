import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { Exchange } from '../../../src/model/exchange.ts'
import type { Owner } from '../../../src/model/owner.ts'
import { respond } from '../../../src/model/reply.ts'
import { answered } from '../../../src/operators/backend/mcp/doors/legacy-door.ts'
import { passOn } from '../../../src/operators/backend/mcp/replicas/pass-on.ts'
import { noticeHop } from '../../../src/operators/replicas/notice-hop.ts'
import { each } from '../../../src/pipeline/each.ts'
import type { Operator } from '../../../src/pipeline/stage.ts'
import { SealRing } from '../../../src/protocols/seal/seal-ring.ts'
import { bareSnapshot } from '../../../src/testing/bare-snapshot.ts'
import { Registry } from '../../../src/upstream/registry.ts'
import { httpServer } from '../upstream-servers.ts'

/** Where the replica that passes on would be reached. */
export const OWN_ADDRESS = 'http://127.0.0.1:1'

/** The key that replicas have. */
export const ring = new SealRing([randomBytes(32)])

/** What a listener does first. */
export const heard = noticeHop(ring)

/** Passes what comes on to an owner. Is that away, the answer is 404 with the reason; is it not asked, 204. */
export type Pass = (owner: Owner) => Operator

/** A replica that others pass requests on to. */
export interface OtherReplica {
  readonly owner: Owner
  readonly pass: Pass
  /** Nobody is there any more. */
  readonly leave: () => Promise<void>
}

/** Acts with a replica that answers like this. */
export const toReplica = async (
  answer: RequestListener,
  act: (replica: OtherReplica) => Promise<void>,
): Promise<void> => {
  const server = await httpServer(answer)
  const owner = { replica: 'there', address: `http://127.0.0.1:${server.port}` }
  let isThere = true
  const leave = async (): Promise<void> => {
    if (isThere) await server[Symbol.asyncDispose]()
    isThere = false
  }
  await withPassing((pass) => act({ owner, pass, leave })).finally(leave)
}

/** Acts with connections of the gateway's own, to which no name is known. */
export const withPassing = async (act: (pass: Pass) => Promise<void>): Promise<void> => {
  const registry = new Registry({ lookup: (_, told) => told(null, []) })
  const session = registry.session(bareSnapshot.resources, () => assert.fail('no expression was expected'))
  session.commit(bareSnapshot)
  const onward = passOn({ address: OWN_ADDRESS, ring, upstream: session.replicas() })
  const away = (x: Exchange) => (why: string) => answered(x, respond(404, `away: ${why}`))
  try {
    await act((owner) => each((x) => () => onward(x, owner, away(x)) ?? answered(x, respond(204, ''))))
  } finally {
    await registry.close()
  }
}
