import type { LogDestination } from '../../src/sinks/log/destination.ts'

/** The destination of log lines in a test. */
export const lineCollector = (): LogDestination & { readonly lines: string[] } => {
  const lines: string[] = []
  return {
    lines,
    write: (line) => void lines.push(line),
    flushSync: () => undefined,
  }
}
