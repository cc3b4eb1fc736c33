import { Dependencies } from '../upstream/dependency-status.ts'
import { replyText, type AdminEndpoint } from './endpoint.ts'

/**
 * Whether the gateway should get traffic: not while a task is pending, or a dependency has never responded.
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

  /** Adds a pending task. Returns a function that completes it. */
  pending(task: string): () => void {
    this.#tasks.add(task)
    return () => this.#tasks.delete(task)
  }

  /** Makes the gateway unready for good. */
  drain(): void {
    this.#tasks.add('draining')
  }

  /** Pending tasks and dependencies, sorted; empty when ready. */
  get waitingFor(): string[] {
    return [...this.#tasks, ...this.#dependencies.pending].sort()
  }
}

/** `GET /healthz/ready`. */
export const readinessEndpoint = (readiness: Readiness): AdminEndpoint => ({
  path: '/healthz/ready',
  methods: ['GET'],
  summary: 'whether the gateway takes traffic',
  parameters: 'ignored',
  handle: ({ res }) => {
    const tasks = readiness.waitingFor
    if (tasks.length === 0) replyText(res, 200, 'ready\n')
    else replyText(res, 500, `not ready, pending: ${tasks.join(', ')}\n`)
  },
})
