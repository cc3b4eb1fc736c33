import { ConfigDiff } from '../config/diff/config-diff.ts'
import type { LoadedConfig } from '../config/load.ts'
import { restartRequired } from '../config/restart-required.ts'
import { redactText } from '../model/trace/redact.ts'
import type { FailedReload, LastReload, ReloadsReport } from './reports/reloads-report.ts'
import { forEachInSlices } from '../model/event-loop/time-slicing.ts'

/** Longest error that is kept: one with the problems of a whole file. */
const MAX_ERROR = 16_384

/**
 * What reloads have changed. Keeps the last difference and the last error, and no configuration: two of them are
 * compared in slices after a reload, and then released.
 *
 * @example
 * history.reloaded(before, after)
 * (await history.report()).lastReload // { changes: { added: […], … }, … }
 */
export class ConfigHistory {
  #inForce: { readonly hash: string; readonly file: string; readonly since: string }
  #lastReload: LastReload | undefined = undefined
  #lastFailure: FailedReload | undefined = undefined
  /** The comparison under way. */
  #comparing: Promise<void> = Promise.resolve()
  #latest: ConfigDiff | undefined = undefined

  readonly #onError: (error: unknown) => void

  /** @param onError Called if two configurations cannot be compared. */
  constructor(first: LoadedConfig, onError: (error: unknown) => void) {
    this.#inForce = inForce(first)
    this.#onError = onError
  }

  /** A configuration replaced another one. */
  reloaded(before: LoadedConfig, after: LoadedConfig): void {
    this.#inForce = inForce(after)
    const diff = new ConfigDiff(before, after)
    this.#latest = diff
    const head = {
      at: this.#inForce.since,
      file: after.name,
      oldHash: before.hash,
      newHash: after.hash,
      restartRequired: restartRequired(before.process, after.process),
    }
    this.#comparing = this.#compare(diff, head).catch(this.#onError)
  }

  /** A configuration was refused; the one before stays in force. */
  failed(error: unknown): void {
    const text = redactText(error instanceof Error ? error.message : String(error))
    this.#lastFailure = {
      at: new Date().toISOString(),
      file: this.#inForce.file,
      error: text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text,
    }
  }

  /** The last reload and the last failure, once the comparison under way has ended. */
  async report(): Promise<ReloadsReport> {
    await this.#comparing
    return {
      inForce: [{ ...this.#inForce, processes: 1 }],
      ...(this.#lastReload && { lastReload: this.#lastReload }),
      ...(this.#lastFailure && { lastFailure: this.#lastFailure }),
    }
  }

  async #compare(diff: ConfigDiff, head: Omit<LastReload, 'changes'>): Promise<void> {
    try {
      await forEachInSlices(this.#untilSuperseded(diff), () => undefined)
      if (this.#latest === diff) this.#lastReload = { ...head, changes: diff.changes }
    } finally {
      // Releases both configurations, also if they cannot be compared.
      if (this.#latest === diff) this.#latest = undefined
    }
  }

  *#untilSuperseded(diff: ConfigDiff): Generator<undefined> {
    for (const step of diff.steps()) {
      if (this.#latest !== diff) return
      yield step
    }
  }
}

const inForce = ({ hash, name }: LoadedConfig) => ({ hash, file: name, since: new Date().toISOString() })
