import { type ModuleLog, silentLog } from '../model/log/module-log.ts'

/** Status of a service that the gateway needs for more than one request. */
export interface DependencyStatus {
  /** Kind and address, such as `jwks https://idp.example.com/keys`. */
  readonly name: string
  /** Whether the gateway is not ready until the service has responded once. */
  readonly required: boolean
  /**
   * `pending`: it never responded. `ready`: it did. `stale`: it did, but not the last time; its last response stays in
   * use.
   */
  readonly state: 'pending' | 'ready' | 'stale'
  /** Why the last attempt failed. */
  readonly error?: string
  /** Time of the last response, in milliseconds since the epoch. */
  readonly respondedAtMs?: number
}

/** Reports on one dependency. */
export interface DependencyReport {
  /** It responded. */
  ready(): void
  /** It failed. */
  failed(error: string): void
  /** It is no longer needed. */
  end(): void
}

/**
 * The dependencies of the gateway, for the readiness pages and the log.
 *
 * @example
 * const report = dependencies.add('jwks https://idp.example.com/keys', true)
 * report.failed('ECONNREFUSED') // dependencies.pending is ['jwks https://idp.example.com/keys']
 */
export class Dependencies {
  readonly #all = new Map<object, DependencyStatus>()
  readonly #changed: (status: DependencyStatus) => void
  readonly #log: ModuleLog

  /**
   * @param changed Called whenever one changes its state, or fails for another reason.
   * @param log Gets every response and every failure.
   */
  constructor(changed: (status: DependencyStatus) => void = () => undefined, log: ModuleLog = silentLog) {
    this.#changed = changed
    this.#log = log
  }

  /** Statuses, by name. */
  get statuses(): readonly DependencyStatus[] {
    return [...this.#all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Names of the required dependencies that have not responded. */
  get pending(): readonly string[] {
    return this.statuses
      .filter(({ required, state }) => required && state === 'pending')
      .map(({ name }) => name)
  }

  /** Adds a dependency that has not responded. */
  add(name: string, required: boolean): DependencyReport {
    const key = {}
    this.#all.set(key, { name, required, state: 'pending' })
    return {
      ready: () => {
        this.#log.debug?.('a dependency responded', { dependency: name })
        this.#set(key, { name, required, state: 'ready', respondedAtMs: Date.now() })
      },
      failed: (error) => {
        this.#log.debug?.('a dependency failed', { dependency: name, error })
        const before = this.#all.get(key)
        if (before)
          this.#set(key, { ...before, error, state: before.state === 'pending' ? 'pending' : 'stale' })
      },
      end: () => this.#all.delete(key),
    }
  }

  #set(key: object, status: DependencyStatus): void {
    const before = this.#all.get(key)
    if (!before) return
    this.#all.set(key, status)
    if (before.state !== status.state || before.error !== status.error) this.#changed(status)
  }
}
