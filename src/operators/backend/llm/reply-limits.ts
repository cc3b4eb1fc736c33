/** Bounds of what is held of an answer. */
export interface ReplyLimits {
  /** Of a whole answer that has to be translated. */
  readonly replyBytes: number
  /** Of one event. */
  readonly eventBytes: number
}
