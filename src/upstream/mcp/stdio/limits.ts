/** Limits of one child process. */
export interface StdioLimits {
  /** A line of its output. A longer one ends the child. */
  readonly lineBytes: number
  /** Bytes buffered for its input. A message beyond that is refused. */
  readonly waitingBytes: number
  /** Messages buffered without a listener. The oldest are dropped. */
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
  /** Time for its last output once it has ended, or for its end once it has closed a stream. */
  readonly exitGraceMs: number
}

/** Default limits. */
export const stdioLimits: StdioLimits = {
  lineBytes: 16 * 1024 * 1024,
  waitingBytes: 16 * 1024 * 1024,
  waitingMessages: 100,
  logLineBytes: 8 * 1024,
  logLinesPerSecond: 1_000,
  tailLength: 2_048,
  inputGraceMs: 500,
  termGraceMs: 1_000,
  exitGraceMs: 200,
}
