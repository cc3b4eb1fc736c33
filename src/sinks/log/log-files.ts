import { resolve } from 'node:path'
import { StartFailure } from '../../model/resources/start-failure.ts'
import { type LogDestination, logDestination } from './destination.ts'

/**
 * The files that logs are written to. Each is open once, for all its writers, and opened again on request, for
 * rotation.
 */
export class LogFiles {
  readonly #open = new Map<string, LogDestination>()
  readonly #onDropped: () => void

  /** @param onDropped Called for each block of lines that a file does not take. */
  constructor(onDropped: () => void = () => undefined) {
    this.#onDropped = onDropped
  }

  /**
   * The file at a path, which is created if it does not exist.
   *
   * @throws StartFailure, naming the file, if it cannot be opened.
   */
  at(path: string): LogDestination {
    const file = resolve(path)
    const known = this.#open.get(file)
    if (known) return known
    try {
      const destination = logDestination({ dest: file, onDropped: this.#onDropped })
      this.#open.set(file, destination)
      return destination
    } catch (error) {
      throw new StartFailure(`cannot open the log file ${file}: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** Writes to the file at a path, as long as the result is in use: also after the file was closed by `keep`. */
  writer(path: string): LogDestination {
    const file = resolve(path)
    return {
      write: (line) => {
        try {
          const to = this.#open.get(file) ?? this.at(file)
          to.write(line)
        } catch {
          this.#onDropped()
        }
      },
      flushSync: () => this.#open.get(file)?.flushSync(),
    }
  }

  /**
   * Closes the files that are no longer in use. An exchange of an earlier configuration may open one again, until the
   * next call.
   */
  keep(paths: readonly string[]): void {
    const kept = new Set(paths.map((path) => resolve(path)))
    for (const [file, destination] of this.#open)
      if (!kept.has(file)) {
        this.#open.delete(file)
        destination.close?.()
      }
  }

  /** Opens every file again. Returns a sentence for each that cannot be opened, and stays as it was. */
  reopen(): readonly string[] {
    return [...this.#open].flatMap(([file, destination]) => {
      try {
        destination.reopen?.()
        return []
      } catch (error) {
        return [`cannot reopen the log file ${file}: ${reasonOf(error)}`]
      }
    })
  }

  /** Writes the buffered lines of every file. */
  flushSync(): void {
    for (const destination of this.#open.values()) destination.flushSync()
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)
