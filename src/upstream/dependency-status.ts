/** How it stands with a service that the gateway needs for more than one request. */
export interface DependencyStatus {
  /** What it is and where, such as `jwks https://idp.example.com/keys`. */
  readonly name: string
  /** Whether the gateway is not ready as long as it never had anything from it. */
  readonly required: boolean
  /** `pending`: it never answered. `ready`: it did. `stale`: it did, but not the last time; what it gave goes on being used. */
  readonly state: 'pending' | 'ready' | 'stale'
  /** Why it did not answer, the last time. */
  readonly error?: string
  /** When it answered last, in milliseconds since the epoch. */
  readonly answeredAtMs?: number
}

/** Where somebody reports on a dependency. */
export interface DependencyReport {
  /** It answered. */
  ready(): void
  /** It did not. */
  failed(error: string): void
  /** It is not needed any more. */
  end(): void
}

/**
 * What the gateway depends on, for the pages that say whether it is ready and for the log.
 *
 * @example
 * const report = dependencies.add('jwks https://idp.example.com/keys', true)
 * report.failed('ECONNREFUSED') // dependencies.pending is ['jwks https://idp.example.com/keys']
 */
export class Dependencies {
  readonly #all = new Map<object, DependencyStatus>()
  readonly #changed: (status: DependencyStatus) => void

  /** @param changed Told whenever one comes into another state, or fails for another reason. */
  constructor(changed: (status: DependencyStatus) => void = () => undefined) {
    this.#changed = changed
  }

  /** How it stands, by name. */
  get statuses(): readonly DependencyStatus[] {
    return [...this.#all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Names of those without which the gateway is not ready. */
  get pending(): readonly string[] {
    return this.statuses
      .filter(({ required, state }) => required && state === 'pending')
      .map(({ name }) => name)
  }

  /** Begins with one that has not answered. */
  add(name: string, required: boolean): DependencyReport {
    const key = {}
    this.#all.set(key, { name, required, state: 'pending' })
    return {
      ready: () => {
        this.#set(key, { name, required, state: 'ready', answeredAtMs: Date.now() })
      },
      failed: (error) => {
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
