import { openSync } from 'node:fs'
import { destination as pinoDestination } from 'pino'

/** Where finished lines go. */
export interface LogDestination {
  /** `line` ends with a newline. */
  write(line: string): void
  /** Writes what is still buffered, at once: before the process ends. */
  flushSync(): void
}

/** What a destination writes to. */
export interface LogDestinationOptions {
  /** A file descriptor or a path; default 1, the standard output. */
  readonly dest?: number | string
  /** Told of each line that was lost because the reader of the log does not keep up. */
  readonly onDropped?: () => void
}

/** Memory a reader that stopped may cost. */
const maxBufferedBytes = 8 * 1024 * 1024

/**
 * A buffered file or stream: lines are collected and written together, within 100 ms, and when the process exits. A
 * reader that stops reading loses lines and stops nobody.
 *
 * @throws The system's error if a path cannot be opened.
 */
export const logDestination = ({ dest = 1, onDropped }: LogDestinationOptions = {}): LogDestination => {
  const boom = pinoDestination({
    // Opened here and now: a file that is still being opened cannot be flushed.
    dest: typeof dest === 'string' ? openSync(dest, 'a') : dest,
    sync: false,
    minLength: 4096,
    maxLength: maxBufferedBytes,
    periodicFlush: 100,
  })
  if (onDropped) boom.on('drop', onDropped)
  // A log that cannot be written (disk full, reader gone) has nowhere to complain.
  boom.on('error', () => undefined)
  return {
    write: (line) => void boom.write(line),
    flushSync: () => {
      boom.flushSync()
    },
  }
}
