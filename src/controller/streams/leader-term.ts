/**
 * Until when a replica leads. Streams learn of the end by a timer, which is late if the process was frozen: other timers
 * that were due before it would write first. Whoever writes looks here right before.
 */
export class LeaderTerm {
  /** `performance.now()` of the end; not in the future for a replica that does not lead. */
  until = -Infinity

  get isCurrent(): boolean {
    return performance.now() < this.until
  }
}
