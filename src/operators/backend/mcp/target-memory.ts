import type { Wire } from '../../../upstream/mcp/wire.ts'
import type { Closable } from '../../../upstream/leaving.ts'
import type { Era } from './era.ts'
import { ListCache } from './list-cache.ts'
import type { Target } from './target.ts'
import { ToolFields } from './tool-fields.ts'

/** How it stands with a server, as far as it has been tried. */
export interface TargetStatus {
  readonly state: 'unknown' | 'well' | 'failing'
  /** Why, if it is failing. */
  readonly error: string | undefined
  /** Since when, in milliseconds since the epoch. */
  readonly sinceMs: number
}

/** What has been learned about one server. It outlives configurations that leave the server as it is. */
export class TargetMemory implements Closable {
  readonly fields = new ToolFields()
  readonly lists = new ListCache()
  #shared: Wire | undefined = undefined
  readonly #eras = new Map<Era, { readonly speaks: boolean; readonly untilMs: number }>()
  #status: TargetStatus = { state: 'unknown', error: undefined, sinceMs: Date.now() }

  get status(): TargetStatus {
    return this.#status
  }

  /** Whether the server speaks revisions of this era; undefined if that is not known, or too long ago. */
  speaks(era: Era, nowMs = Date.now()): boolean | undefined {
    const known = this.#eras.get(era)
    return known && known.untilMs > nowMs ? known.speaks : undefined
  }

  learn(era: Era, speaks: boolean, nowMs = Date.now()): void {
    this.#eras.set(era, { speaks, untilMs: nowMs + ERA_TTL_MS })
  }

  /** The way to a server without sessions, which all clients may share: each request says whose it is. */
  sharedWire(target: Target): Wire {
    return (this.#shared ??= target.wire('modern'))
  }

  /** The way is of no use any more. */
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
    return returned
  }

  /** It could not be reached, or broke. */
  failed(error: string): void {
    const { state, sinceMs } = this.#status
    this.#status = { state: 'failing', error, sinceMs: state === 'failing' ? sinceMs : Date.now() }
  }
}

/** Servers are replaced by newer ones under the same address. */
const ERA_TTL_MS = 600_000
