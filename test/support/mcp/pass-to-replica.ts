import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import type { Owner } from '../../../src/model/resources/replica.ts'
import { respond } from '../../../src/model/exchange/reply.ts'
import { withReply } from '../../../src/operators/mcp/endpoint/check-request.ts'
import { forwardToReplica } from '../../../src/operators/mcp/replicas/forward.ts'
import { detectForwarded } from '../../../src/operators/mcp/replicas/detect-forwarded.ts'
import { perExchange } from '../../../src/pipeline/per-exchange.ts'
import type { Operator } from '../../../src/pipeline/stage.ts'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'
import { bareSnapshot } from '../../../src/testing/bare-snapshot.ts'
import { Registry } from '../../../src/upstream/registry.ts'
import { httpServer } from '../upstream-servers.ts'

/** Where the replica that passes on would be reached. */
export const OWN_ADDRESS = 'http://127.0.0.1:1'

/** The key that replicas have. */
export const ring = new Keyring([randomBytes(32)])

/** What a listener does first. */
export const heard = detectForwarded(ring)

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
  const onward = forwardToReplica({ address: OWN_ADDRESS, ring, upstream: session.replicas() })
  const away = (x: Exchange) => (why: string) => withReply(x, respond(404, `away: ${why}`))
  try {
    await act((owner) =>
      perExchange((x) => () => onward(x, owner, away(x)) ?? withReply(x, respond(204, ''))),
    )
  } finally {
    await registry.close()
  }
}
