/** What one child process may cost, and how long it is waited for. */
export interface StdioLimits {
  /** A line of its output. A longer one ends the child. */
  readonly lineBytes: number
  /** What waits for it to read its input. A message beyond that is refused. */
  readonly waitingBytes: number
  /** Messages kept while nobody listens. Older ones give way. */
  readonly waitingMessages: number
  /** A line in the log. The rest of a longer one is left out. */
  readonly logLineBytes: number
  /** Lines in the log. Further ones of the same second are counted, and left out. */
  readonly logLinesPerSecond: number
  /** Characters of stderr that a fault quotes when the child has died. */
  readonly tailLength: number
  /** From the end of its input to SIGTERM. */
  readonly inputGraceMs: number
  /** From SIGTERM to SIGKILL. */
  readonly termGraceMs: number
  /** How long what it still has to say is waited for once it has ended, or its end once it has closed a stream. */
  readonly lastWordsMs: number
}

/** What holds unless somebody says otherwise. */
export const stdioLimits: StdioLimits = {
  lineBytes: 16 * 1024 * 1024,
  waitingBytes: 16 * 1024 * 1024,
  waitingMessages: 100,
  logLineBytes: 8 * 1024,
  logLinesPerSecond: 1_000,
  tailLength: 2_048,
  inputGraceMs: 500,
  termGraceMs: 1_000,
  lastWordsMs: 200,
}
