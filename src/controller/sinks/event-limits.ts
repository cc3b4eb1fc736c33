/** What the limits of an event depend on. */
export interface LimitedEvent {
  /** The same event has the same name. */
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly involvedObject: {
    readonly kind: string
    readonly namespace: string | undefined
    readonly name: string
  }
}

/** How many more events each object and each namespace may have. */
export class EventLimits {
  readonly #namespaces = new NamespaceBudgets()
  /** The oldest first. */
  readonly #objects = new Map<string, ObjectBudget>()

  admit({ metadata, involvedObject }: LimitedEvent, now: number): boolean {
    const { kind, namespace = '', name } = involvedObject
    const key = `${kind}/${namespace}/${name}`
    const before = this.#objects.get(key) ?? { tokens: BURST, at: now, recent: new Map<string, number>() }
    const tokens = Math.min(BURST, before.tokens + Math.max(0, now - before.at) / REFILL_MS)
    const recent = new Map([...before.recent].filter(([, at]) => now - at < REPEAT_MS))
    const isAdmitted =
      tokens >= 1 && !recent.has(metadata.name) && this.#namespaces.admit(metadata.namespace, now)
    if (isAdmitted) recent.set(metadata.name, now)
    this.#objects.delete(key)
    this.#objects.set(key, { tokens: isAdmitted ? tokens - 1 : tokens, at: now, recent })
    const [oldest] = this.#objects.keys()
    if (this.#objects.size > MAX_OBJECTS && oldest !== undefined) this.#objects.delete(oldest)
    return isAdmitted
  }
}

/** One tenant with many broken objects does not keep the events of others from the API server. */
class NamespaceBudgets {
  /** The oldest first. */
  readonly #budgets = new Map<string, { readonly tokens: number; readonly at: number }>()

  admit(namespace: string, now: number): boolean {
    const before = this.#budgets.get(namespace) ?? { tokens: NAMESPACE_BURST, at: now }
    const refilled = before.tokens + Math.max(0, now - before.at) / NAMESPACE_REFILL_MS
    const tokens = Math.min(NAMESPACE_BURST, refilled)
    const isAdmitted = tokens >= 1
    this.#budgets.delete(namespace)
    this.#budgets.set(namespace, { tokens: isAdmitted ? tokens - 1 : tokens, at: now })
    const [oldest] = this.#budgets.keys()
    if (this.#budgets.size > MAX_OBJECTS && oldest !== undefined) this.#budgets.delete(oldest)
    return isAdmitted
  }
}

interface ObjectBudget {
  readonly tokens: number
  readonly at: number
  /** When events were recorded, by their names. */
  readonly recent: ReadonlyMap<string, number>
}

const BURST = 10
const REFILL_MS = 60_000
const REPEAT_MS = 600_000
const NAMESPACE_BURST = 150
const NAMESPACE_REFILL_MS = 1_000
const MAX_OBJECTS = 1_000
