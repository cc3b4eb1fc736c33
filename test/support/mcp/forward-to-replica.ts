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
import { resourceIndex } from '../../../src/model/resources/resource-index.ts'

/** The address of the forwarding replica. */
export const OWN_ADDRESS = 'http://127.0.0.1:1'

/** The key of the replicas. */
export const ring = new Keyring([randomBytes(32)])

/** The first stage of a listener. */
export const detectForwardedStage = detectForwarded(ring)

/** Forwards requests to an owner. If that is unavailable, the reply is 404 with the reason; if it is not called, 204. */
export type Pass = (owner: Owner) => Operator

/** A replica that others forward requests to. */
export interface OtherReplica {
  readonly owner: Owner
  readonly pass: Pass
  /** An address without a replica. */
  readonly leave: () => Promise<void>
}

/** Runs a function with a replica that replies like this. */
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

/** Runs a function with connections of the gateway, without DNS. */
export const withPassing = async (act: (pass: Pass) => Promise<void>): Promise<void> => {
  const registry = new Registry({ lookup: (_, told) => told(null, []) })
  const session = registry.session(resourceIndex(bareSnapshot.resources), () =>
    assert.fail('no expression was expected'),
  )
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
