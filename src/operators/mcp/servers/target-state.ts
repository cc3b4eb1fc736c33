import type { McpLongList, McpServerStatus } from '../../../model/mcp/mcp-status.ts'
import { CallCounts } from '../../../upstream/load-balancing/call-counts.ts'
import type { Transport } from '../../../upstream/mcp/transport.ts'
import type { Closable } from '../../../upstream/draining.ts'
import type { Era } from './protocol-era.ts'
import type { WarmSession } from '../bridge/warm-session.ts'
import { WarmPool } from '../bridge/warm-pool.ts'
import { ListCache } from '../federation/list-cache.ts'
import { SharedTransport, type TransportFactory } from './shared-transport.ts'
import { ToolFields } from './tool-headers.ts'

/** State of one server. It outlives configurations that leave the server unchanged. */
export class TargetState implements Closable {
  readonly fields = new ToolFields()
  readonly lists = new ListCache()
  readonly counts = new CallCounts()
  /** Programs that are ready for callers. */
  readonly warm = new WarmPool<WarmSession>()
  /** Distinguishes it from the state of a server of the same name in an earlier configuration. */
  readonly number = ++lastNumber
  /** Called when no configuration has the server any more. */
  readonly onGone = new Map<string, () => void>()
  readonly #collisions = new Set<string>()
  readonly #shared: SharedTransport
  #probed: { readonly transport: Transport; readonly timer: NodeJS.Timeout } | undefined = undefined
  readonly #eras = new Map<Era, { readonly supported: boolean; readonly untilMs: number }>()
  #status: Status = { state: 'unknown', error: undefined, sinceMs: Date.now() }
  #revision: string | undefined = undefined
  #noStreamUntilMs = 0
  readonly #longLists = new Map<string, number>()
  readonly #onStatusChange: (status: McpServerStatus) => void
  readonly #onListTruncated: (list: Omit<McpLongList, 'target'>) => void

  /**
   * @param onStatusChange Called when it begins to fail, and when it has recovered.
   * @param onListTruncated Called once for each list that has more pages than are read.
   * @param sharedIdleMs Time after which an unused program that clients share is ended.
   */
  constructor(
    onStatusChange: (status: McpServerStatus) => void = () => undefined,
    onListTruncated: (list: Omit<McpLongList, 'target'>) => void = () => undefined,
    sharedIdleMs = Infinity,
  ) {
    this.#shared = new SharedTransport(sharedIdleMs)
    this.#onStatusChange = onStatusChange
    this.#onListTruncated = onListTruncated
  }

  get status(): McpServerStatus {
    return {
      ...this.#status,
      revision: this.#revision,
      legacy: this.supports('legacy'),
      modern: this.supports('modern'),
      ...this.counts.report,
      ...(this.#collisions.size > 0 && { collisions: [...this.#collisions] }),
      ...(this.#longLists.size > 0 && { longLists: Object.fromEntries(this.#longLists) }),
    }
  }

  /** @returns Whether the collision is new. */
  addCollision(kind: string, name: string): boolean {
    const what = `${kind} ${name}`
    if (this.#collisions.has(what) || this.#collisions.size >= COLLISIONS_LIMIT) return false
    this.#collisions.add(what)
    return true
  }

  /** Whether it recently had no GET stream. */
  hasNoStream(nowMs = Date.now()): boolean {
    return this.#noStreamUntilMs > nowMs
  }

  foundNoStream(nowMs = Date.now()): void {
    this.#noStreamUntilMs = nowMs + ERA_TTL_MS
  }

  /** A merged list was cut after so many pages of this server. */
  listTruncated(method: string, pages: number): void {
    if (this.#longLists.has(method)) return
    this.#longLists.set(method, pages)
    this.#onListTruncated({ method, pages })
  }

  /** The revision used last. */
  get revision(): string | undefined {
    return this.#revision
  }

  /** It was reached with this revision. */
  setRevision(revision: string): void {
    this.#revision = revision
  }

  /** Whether the server speaks revisions of this era; undefined if unknown or expired. */
  supports(era: Era, nowMs = Date.now()): boolean | undefined {
    const known = this.#eras.get(era)
    return known && known.untilMs > nowMs ? known.supported : undefined
  }

  recordSupport(era: Era, supported: boolean, nowMs = Date.now()): void {
    this.#eras.set(era, { supported, untilMs: nowMs + ERA_TTL_MS })
  }

  /** The transport to a server without sessions, which all clients share. */
  sharedTransport(target: TransportFactory): Transport {
    return this.#shared.get(target)
  }

  /** Closes the shared transport. */
  dropShared(): void {
    this.#shared.drop()
  }

  /** A process that requires a handshake is kept for the next handshake, so that no other is started. */
  keepProbed(): void {
    const transport = this.#shared.take()
    if (!transport) return
    this.dropProbed()
    this.#probed = { transport, timer: setTimeout(() => this.dropProbed(), PROBED_TTL_MS).unref() }
  }

  /** The kept process; a second call returns undefined. */
  takeProbed(): Transport | undefined {
    const { transport, timer } = this.#probed ?? {}
    clearTimeout(timer)
    this.#probed = undefined
    return transport?.closed ? undefined : transport
  }

  dropProbed(): void {
    this.takeProbed()?.close(undefined)
  }

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    this.dropShared()
    this.dropProbed()
    this.warm.destroy()
    this.lists.clear()
    for (const gone of this.onGone.values()) gone()
    this.onGone.clear()
    return Promise.resolve()
  }

  /**
   * It responded.
   *
   * @returns Whether it was failing before.
   */
  succeeded(): boolean {
    const returned = this.#status.state === 'failing'
    if (this.#status.state !== 'well') this.#status = { state: 'well', error: undefined, sinceMs: Date.now() }
    if (returned) this.#onStatusChange(this.status)
    return returned
  }

  /** It could not be reached, or failed. */
  failed(error: string): void {
    const { state, sinceMs } = this.#status
    const isNew = state !== 'failing'
    this.#status = { state: 'failing', error, sinceMs: isNew ? Date.now() : sinceMs }
    if (isNew) this.#onStatusChange(this.status)
  }
}

let lastNumber = 0

type Status = Pick<McpServerStatus, 'state' | 'error' | 'sinceMs'>

/** Limit of reported collisions. */
const COLLISIONS_LIMIT = 100

/** The probing request begins a handshake at once. */
const PROBED_TTL_MS = 10_000

/** Servers may be upgraded at the same address. */
const ERA_TTL_MS = 600_000
