import { request } from 'undici'
import { fetchAgent, type FetchTarget } from './fetch-agent.ts'
import { type AddressCheck, isFetchAddress } from './fetch-guard.ts'

/**
 * Fetches a key set, and gives its text. Follows no redirects, uses no proxies of the environment, and connects to no
 * address that `isAllowed` refuses.
 *
 * @throws Error with a sentence, if there is none.
 */
export const fetchKeySet = async (
  target: FetchTarget,
  signal: AbortSignal,
  isAllowed: AddressCheck = isFetchAddress,
): Promise<string> => {
  const agent = fetchAgent(target, isAllowed)
  try {
    const { statusCode, body } = await request(target.url, {
      dispatcher: agent,
      headers: { accept: 'application/jwk-set+json, application/json', 'user-agent': 'agentgateway' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new Error(`the key set has more than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    if (statusCode !== 200) throw new Error(`it answered with status ${statusCode}`)
    const text = Buffer.concat(chunks).toString('utf8')
    if (!isKeySet(text)) throw new Error('it answered with something that is no key set')
    return text
  } finally {
    await agent.destroy()
  }
}

const isKeySet = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys)
  } catch {
    return false
  }
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1_048_576
