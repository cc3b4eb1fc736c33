import { setTimeout as wait } from 'node:timers/promises'
import { http2Traffic } from './traffic/http2.ts'
import { httpTraffic } from './traffic/http.ts'
import { llmTraffic } from './traffic/llm.ts'
import { mcpTraffic } from './traffic/mcp.ts'
import { operatorTraffic } from './traffic/operators.ts'
import type { Traffic, TrafficTarget } from './traffic/traffic.ts'
import { webSocketTraffic } from './traffic/websocket.ts'

/** Counts of a kind of traffic. */
export interface Count {
  readonly name: string
  calls: number
  /** Calls to which the gateway did not reply as it must. */
  failures: number
  /** The message of the first failure. */
  firstFailure: string | undefined
}

/** Running traffic of all kinds. */
export interface Load {
  readonly counts: readonly Count[]
  /** Ends it; resolves after the last call. */
  stop(): Promise<void>
}

const kinds: readonly Traffic[] = [
  ...httpTraffic,
  http2Traffic,
  webSocketTraffic,
  ...llmTraffic,
  ...mcpTraffic,
  ...operatorTraffic,
]

/** Starts traffic of all kinds. */
export const startLoad = (target: TrafficTarget): Load => {
  const state = { isRunning: true }
  const counts = kinds.map((kind): Count => {
    return { name: kind.name, calls: 0, failures: 0, firstFailure: undefined }
  })
  const clients = kinds.flatMap((kind, i) => {
    const count = counts[i] as Count
    return Array.from({ length: kind.clients }, () => client(kind, target, count, state))
  })
  return {
    counts,
    stop: async () => {
      state.isRunning = false
      await Promise.all(clients)
    },
  }
}

const client = async (
  kind: Traffic,
  target: TrafficTarget,
  count: Count,
  state: { readonly isRunning: boolean },
): Promise<void> => {
  while (state.isRunning) {
    try {
      await kind.call(target, count.calls++)
    } catch (error) {
      count.failures++
      count.firstFailure ??= describe(error)
    }
    await wait(kind.pauseMs)
  }
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
