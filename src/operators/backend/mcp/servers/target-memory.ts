import type { McpServerStatus } from '../../../../model/mcp-status.ts'
import type { Wire } from '../../../../upstream/mcp/wire.ts'
import type { Closable } from '../../../../upstream/leaving.ts'
import type { Era } from './era.ts'
import { ListCache } from '../federation/list-cache.ts'
import type { Target } from './target.ts'
import { ToolFields } from './tool-fields.ts'

/** What has been learned about one server. It outlives configurations that leave the server as it is. */
export class TargetMemory implements Closable {
  readonly fields = new ToolFields()
  readonly lists = new ListCache()
  readonly #collisions = new Set<string>()
  #shared: Wire | undefined = undefined
  readonly #eras = new Map<Era, { readonly speaks: boolean; readonly untilMs: number }>()
  #status: Status = { state: 'unknown', error: undefined, sinceMs: Date.now() }
  #revision: string | undefined = undefined
  readonly #changed: (status: McpServerStatus) => void

  /** @param changed Told when it begins to fail, and when it is well again. */
  constructor(changed: (status: McpServerStatus) => void = () => undefined) {
    this.#changed = changed
  }

  get status(): McpServerStatus {
    return {
      ...this.#status,
      revision: this.#revision,
      legacy: this.speaks('legacy'),
      modern: this.speaks('modern'),
      ...(this.#collisions.size > 0 && { collisions: [...this.#collisions] }),
    }
  }

  /** @returns Whether it is news that another server has something by this name too. */
  collides(kind: string, name: string): boolean {
    const what = `${kind} ${name}`
    if (this.#collisions.has(what) || this.#collisions.size >= COLLISIONS_LIMIT) return false
    this.#collisions.add(what)
    return true
  }

  /** The revision that it was spoken to in last. */
  get revision(): string | undefined {
    return this.#revision
  }

  /** It was reached, and agreed on this revision. */
  reached(revision: string): void {
    this.#revision = revision
  }

  /** Whether the server speaks revisions of this era; undefined if that is not known, or too long ago. */
  speaks(era: Era, nowMs = Date.now()): boolean | undefined {
    const known = this.#eras.get(era)
    return known && known.untilMs > nowMs ? known.speaks : undefined
  }

  learn(era: Era, speaks: boolean, nowMs = Date.now()): void {
    this.#eras.set(era, { speaks, untilMs: nowMs + ERA_TTL_MS })
  }

  /**
   * The way to a server without sessions, which all clients may share: each request says whose it is. One that is found
   * dead makes place for another here, and nowhere else: whoever failed with it may fail later than the next one begins.
   */
  sharedWire(target: Target): Wire {
    if (this.#shared?.closed) this.dropShared()
    return (this.#shared ??= target.wire('modern'))
  }

  /** Nobody goes this way any more. */
  dropShared(): void {
    this.#shared?.close(undefined)
    this.#shared = undefined
  }

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    this.dropShared()
    return Promise.resolve()
  }

  /**
   * It answered.
   *
   * @returns Whether it did not before.
   */
  isWell(): boolean {
    const returned = this.#status.state === 'failing'
    if (this.#status.state !== 'well') this.#status = { state: 'well', error: undefined, sinceMs: Date.now() }
    if (returned) this.#changed(this.status)
    return returned
  }

  /** It could not be reached, or broke. */
  failed(error: string): void {
    const { state, sinceMs } = this.#status
    const isNews = state !== 'failing'
    this.#status = { state: 'failing', error, sinceMs: isNews ? Date.now() : sinceMs }
    if (isNews) this.#changed(this.status)
  }
}

type Status = Pick<McpServerStatus, 'state' | 'error' | 'sinceMs'>

/** Whoever has more than that has said enough. */
const COLLISIONS_LIMIT = 100

/** Servers are replaced by newer ones under the same address. */
const ERA_TTL_MS = 600_000
