import type { Id, Notification, Outcome } from '../../../protocols/json-rpc/message.ts'
import type { PendingCall } from './pending-call.ts'

/** Limit of stored tokens of tasks; the oldest are dropped first. */
const MOST_TASKS = 256

/** @returns The transport's token in a progress notification. Some servers make a string of the number. */
export const reportedToken = ({ params }: Notification): number => {
  const token = params?.progressToken
  return typeof token === 'string' || typeof token === 'number' ? Number(token) : Number.NaN
}

/** The notification with the client's token. */
export const restoredReport = (report: Notification, token: Id): Notification => ({
  ...report,
  params: { ...report.params, progressToken: token },
})

/** Tokens that outlive their request: a task reports progress after the response to the request that began it. */
export class TaskTokens {
  readonly #tokens = new Map<number, Id>()

  /** Stores the token of a request whose result is a running task. */
  record({ request, token }: PendingCall, outcome: Outcome): void {
    if (token === undefined || !('result' in outcome) || !isTask(outcome.result.task)) return
    this.#tokens.set(request.id, token)
    if (this.#tokens.size <= MOST_TASKS) return
    for (const oldest of this.#tokens.keys()) {
      this.#tokens.delete(oldest)
      return
    }
  }

  get(id: number): Id | undefined {
    return this.#tokens.get(id)
  }
}

const isTask = (value: unknown): boolean => typeof value === 'object' && value !== null
