import { Agent, get } from 'node:http'

/** A reply as far as tests look at it. */
export interface FlowReply {
  readonly status: number
  readonly version: string
}

/** Requests that follow each other all the time, and what became of them. */
export interface RequestFlow extends AsyncDisposable {
  /** What failed so far, and statuses other than 200. */
  readonly failures: readonly string[]
  readonly count: number
  /** Resolves at the first reply, from now on, that is accepted. */
  replied(accept: (reply: FlowReply) => boolean): Promise<void>
}

/** Sends requests to a proxy, several at a time; `x-version` of replies says which version of a route they are from. */
export const startRequestFlow = (port: number, host: string): RequestFlow => {
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  const observers = new Set<(reply: FlowReply) => void>()
  let count = 0
  let hasEnded = false
  const send = () =>
    new Promise<FlowReply>((resolve, reject) => {
      const request = get({ agent, host: '127.0.0.1', port, headers: { host } }, (response) => {
        const { statusCode: status = 0, headers } = response
        response.resume().on('error', reject)
        response.on('end', () => {
          resolve({ status, version: String(headers['x-version']) })
        })
      })
      request.on('error', reject).setTimeout(TIMEOUT_MS, () => {
        request.destroy(new Error(`no reply within ${TIMEOUT_MS} ms`))
      })
    })
  const follow = async () => {
    while (!hasEnded) {
      try {
        const reply = await send()
        if (reply.status !== 200) failures.push(`${new Date().toISOString()} status ${reply.status}`)
        for (const observe of observers) observe(reply)
      } catch (error) {
        failures.push(`${new Date().toISOString()} ${String(error)}`)
      }
      count += 1
    }
  }
  const flows = Array.from({ length: CONCURRENCY }, follow)
  return {
    failures,
    get count() {
      return count
    },
    replied: (accept) =>
      new Promise((resolve) => {
        const observe = (reply: FlowReply) => {
          if (!accept(reply)) return
          observers.delete(observe)
          resolve()
        }
        observers.add(observe)
      }),
    [Symbol.asyncDispose]: async () => {
      hasEnded = true
      await Promise.all(flows)
      agent.destroy()
    },
  }
}

const CONCURRENCY = 2
const TIMEOUT_MS = 10_000
