import type { LogDestination } from '../../src/sinks/log/destination.ts'

/** Where log lines go in a test. */
export const lineCollector = (): LogDestination & { readonly lines: string[] } => {
  const lines: string[] = []
  return {
    lines,
    write: (line) => void lines.push(line),
    flushSync: () => undefined,
  }
}
