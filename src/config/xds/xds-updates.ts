import { nextTurn } from '../../model/event-loop/next-turn.ts'
import { runInLongSlices } from '../../model/event-loop/time-slicing.ts'
import type { Snapshot } from '../../model/resources/snapshot.ts'
import type { AppliedDelta, RefusedResource, XdsDelta } from '../../protocols/xds/delta.ts'
import type { AcceptedResource } from './accepted-resource.ts'
import { refusal, refuseUncompilable } from './refuse-uncompilable.ts'
import type { NamedChange } from './sorted-by-name.ts'
import type { ResourceWarning, XdsState } from './xds-state.ts'

/** Resources whose steps may take a slice. Smaller updates cost no turn of the event loop. */
const LARGE_UPDATE = 512

/** How the state is compiled, beside a file. */
export interface StateCompiler {
  /** Only the control plane has sent something: the file compiled before. */
  readonly isUpdate: boolean
  readonly tryOut: () => Promise<unknown>
  /** Puts it in force. */
  readonly compile: () => Promise<Snapshot>
}

/** A port that is not open. */
interface BindFailure {
  readonly bind: string
  readonly message: string
}

type Changes = readonly NamedChange<AcceptedResource>[]

/** An update on its way: applied to the state, and not compiled yet. */
interface PendingUpdate {
  readonly changes: Changes
  /** Changes that take it back. */
  readonly undo: Changes
  readonly onCompiled: (refused: readonly RefusedResource[], opened: AppliedDelta['opened']) => void
}

/**
 * Takes updates from the wire to the ports: each is checked, compiled and served before the next one is applied, so
 * that whatever goes wrong is the problem of a resource of this one.
 */
export class XdsUpdates {
  readonly #state: XdsState
  readonly #onWarnings: (warnings: readonly ResourceWarning[]) => void
  #pending: PendingUpdate | undefined = undefined
  #isOver: Promise<unknown> = Promise.resolve()
  /** Updates whose snapshot was compiled and does not serve yet, oldest first. */
  #opening: { readonly order: number; readonly onServed: (failed: readonly RefusedResource[]) => void }[] = []
  /** The order in which snapshots were compiled: one that is superseded never serves. */
  readonly #orders = new WeakMap<Snapshot, number>()
  #compiledCount = 0
  /** The problems of binds, each of which is reported once. */
  #closedBinds = new Map<string, string>()
  #isCompiled: Promise<unknown> = Promise.resolve()

  /** @param onWarnings Called once for each update, with what is in it that is compiled. */
  constructor(state: XdsState, onWarnings: (warnings: readonly ResourceWarning[]) => void = () => undefined) {
    this.#state = state
    this.#onWarnings = onWarnings
  }

  /**
   * Resolves when a delta has been compiled. One follows the other.
   *
   * @param onDue The state is to be compiled; `compile` must follow.
   */
  apply(delta: XdsDelta, onDue: () => void): Promise<AppliedDelta> {
    const applied = this.#isOver.then(() => this.#apply(delta, onDue))
    this.#isOver = applied.catch(() => undefined)
    return applied
  }

  async #apply(delta: XdsDelta, onDue: () => void): Promise<AppliedDelta> {
    const { changes, refused, warnings } = await runInLongSlices(this.#state.check(delta))
    // Each part of the work begins a slice at once: without a turn between them, two would make one of 10 ms.
    const isLarge = changes.length > LARGE_UPDATE
    if (isLarge) await nextTurn()
    const undo = await this.#state.commit(changes)
    if (isLarge) await nextTurn()
    // A bind that is sent again is reported again.
    for (const { name } of changes) this.#closedBinds.delete(name)
    return new Promise((resolve) => {
      this.#pending = {
        changes,
        undo,
        onCompiled: (uncompiled, opened) => {
          const names = new Set(uncompiled.map(({ name }) => name))
          this.#onWarnings(warnings.filter(({ name }) => !names.has(name)))
          resolve({ refused: [...refused, ...uncompiled], opened })
        },
      }
      onDue()
    })
  }

  /**
   * Compiles the state. Changes of the update on its way that cannot be compiled are taken back.
   *
   * @param signal Ends compiling: a newer file supersedes this one. That is compiled once the state is whole again.
   * @throws the error of a file that cannot be compiled, whatever the control plane has sent.
   */
  compile(compiler: StateCompiler, signal: AbortSignal): Promise<Snapshot> {
    const compiled = this.#isCompiled.then(() => this.#compile(compiler, signal))
    this.#isCompiled = compiled.catch(() => undefined)
    return compiled
  }

  async #compile(compiler: StateCompiler, signal: AbortSignal): Promise<Snapshot> {
    signal.throwIfAborted()
    // Another one may come while this is compiled.
    const update = this.#pending
    try {
      return this.#compiled(update, await compiler.compile(), [])
    } catch (error) {
      signal.throwIfAborted()
      if (!update) throw error
      return await this.#compileWithout(update, error, compiler, signal)
    }
  }

  /**
   * A snapshot serves, except for some ports.
   *
   * @returns Whether it has an update.
   */
  serves(snapshot: Snapshot, failures: readonly BindFailure[]): boolean {
    const order = this.#orders.get(snapshot) ?? 0
    const failed = this.#newlyClosed(failures)
    const served = this.#opening.filter((one) => one.order <= order)
    this.#opening = this.#opening.filter((one) => one.order > order)
    for (const { onServed } of served) onServed(failed)
    return served.length > 0
  }

  async #compileWithout(
    update: PendingUpdate,
    error: unknown,
    compiler: StateCompiler,
    signal: AbortSignal,
  ): Promise<Snapshot> {
    await this.#state.commit(update.undo)
    try {
      await compiler.tryOut()
      const refused = await refuseUncompilable(this.#state, update.changes, compiler.tryOut, signal)
      return this.#compiled(update, await compiler.compile(), refused)
    } catch (withoutIt) {
      // The file is to blame. If it is in force, the update is what can be refused; else it is compiled once more.
      const isRefused = compiler.isUpdate && !signal.aborted
      await this.#state.commit(isRefused ? update.undo : update.changes)
      if (isRefused) this.#refuseAll(update, error)
      throw withoutIt
    }
  }

  #refuseAll({ changes, onCompiled }: PendingUpdate, error: unknown): void {
    this.#pending = undefined
    onCompiled(
      changes.map(({ name }) => refusal(name, error)),
      Promise.resolve([]),
    )
  }

  #compiled(
    update: PendingUpdate | undefined,
    snapshot: Snapshot,
    refused: readonly RefusedResource[],
  ): Snapshot {
    const order = ++this.#compiledCount
    this.#orders.set(snapshot, order)
    if (!update) return snapshot
    this.#pending = undefined
    const { promise, resolve } = Promise.withResolvers<readonly RefusedResource[]>()
    this.#opening.push({ order, onServed: resolve })
    update.onCompiled(refused, promise)
    return snapshot
  }

  #newlyClosed(failures: readonly BindFailure[]): readonly RefusedResource[] {
    const closed = new Map(
      failures.flatMap(({ bind, message }) =>
        this.#state.bindsAt(bind).map((name): [string, string] => [name, message]),
      ),
    )
    const known = this.#closedBinds
    this.#closedBinds = closed
    return [...closed].flatMap(([name, message]) =>
      known.get(name) === message ? [] : [{ name, problem: `${name}: ${message}` }],
    )
  }
}
