import { Dependencies } from '../upstream/dependency-status.ts'
import { replyText, type AdminEndpoint } from './endpoint.ts'

/**
 * Whether the gateway should get traffic: while anything is pending, it should not. That is so, too, while something that it
 * depends on never answered.
 *
 * @example
 * const loaded = readiness.pending('configuration')
 * await load()
 * loaded()
 */
export class Readiness {
  readonly #tasks = new Set<string>()
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies = new Dependencies()) {
    this.#dependencies = dependencies
  }

  /** Something must happen first. Returns what says that it has. */
  pending(task: string): () => void {
    this.#tasks.add(task)
    return () => this.#tasks.delete(task)
  }

  /** From now on no more traffic is wanted. */
  drain(): void {
    this.#tasks.add('draining')
  }

  /** What is waited for, sorted; empty when ready. */
  get waitingFor(): string[] {
    return [...this.#tasks, ...this.#dependencies.pending].sort()
  }
}

/** `GET /healthz/ready`. */
export const readinessEndpoint = (readiness: Readiness): AdminEndpoint => ({
  path: '/healthz/ready',
  methods: ['GET'],
  summary: 'whether the gateway takes traffic',
  handle: ({ res }) => {
    const tasks = readiness.waitingFor
    if (tasks.length === 0) replyText(res, 200, 'ready\n')
    else replyText(res, 500, `not ready, pending: ${tasks.join(', ')}\n`)
  },
})
