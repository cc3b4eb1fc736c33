import type { FetchLikeResponse, ReaderLike } from 'eventsource'

/** Gateways send a comment every second. */
const idleTimeoutMs = 30_000

/**
 * A response whose body fails after thirty seconds without a byte: without this, a connection that a
 * firewall has dropped could not be distinguished from a gateway without requests.
 */
export const withIdleTimeout = (response: FetchLikeResponse): FetchLikeResponse => {
  const { body, url, status, redirected, headers } = response
  if (body === null) return response
  return { url, status, redirected, headers, body: { getReader: () => idleReader(body.getReader()) } }
}

const idleReader = (reader: ReaderLike): ReaderLike => {
  let timer: NodeJS.Timeout | undefined
  return {
    read: async () => {
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`nothing received for ${String(idleTimeoutMs / 1000)} s`))
          reader.cancel().catch(() => undefined)
        }, idleTimeoutMs)
      })
      try {
        return await Promise.race([reader.read(), silence])
      } finally {
        clearTimeout(timer)
      }
    },
    cancel: () => {
      clearTimeout(timer)
      return reader.cancel()
    },
  }
}
