import { createHash } from 'node:crypto'
import { TokenMemory } from '../../upstream/credentials/token-memory.ts'
import type { Workshop } from './workshop.ts'

/** The tokens of a policy. They stay when a configuration is loaded again that says the same of them. */
export const keptTokens = (
  policy: object,
  maxEntries: number,
  { session, evicted }: Workshop,
): TokenMemory => {
  const identity = createHash('sha256').update(JSON.stringify(policy)).digest('base64url')
  return session.keep(`tokens ${identity}`, () => {
    const told = maxEntries > 1 ? () => evicted('backend_tokens') : undefined
    return new TokenMemory({ maxEntries, evicted: told })
  })
}
