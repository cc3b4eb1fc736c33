import type { Id, Notification, Outcome } from '../../protocols/json-rpc/message.ts'
import type { OpenCall } from './http-open-call.ts'

/** How many tokens of tasks are remembered; the oldest go first. */
const MOST_TASKS = 256

/** @returns The wire's token in a report of progress. Some servers make a text of the number. */
export const reportedToken = ({ params }: Notification): number => {
  const token = params?.progressToken
  return typeof token === 'string' || typeof token === 'number' ? Number(token) : Number.NaN
}

/** The report as the client expects it. */
export const restoredReport = (report: Notification, token: Id): Notification => ({
  ...report,
  params: { ...report.params, progressToken: token },
})

/** Tokens that outlive their request: a task reports progress after the request that began it was answered. */
export class TaskTokens {
  readonly #tokens = new Map<number, Id>()

  /** Remembers the token of a request whose answer says that a task goes on. */
  note({ request, token }: OpenCall, outcome: Outcome): void {
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
