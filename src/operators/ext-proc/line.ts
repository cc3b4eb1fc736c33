import { Fault } from '../../model/fault.ts'
import type { Reply } from '../../model/reply.ts'
import type { Answer, Told } from './messages.ts'
import type { Direction } from './modes.ts'
import { late, nonsense, type ProcessorFault } from './processor-fault.ts'

/** What the directions of a conversation share. */
export interface Wire {
  /** Nothing more is said, by either side. */
  readonly isClosed: boolean
  /** Why it closed, unless that may be ignored where the processor has not been given anything yet. */
  readonly obstacle: ProcessorFault | undefined
  /** False means: stop until `onDrain` calls back. */
  send(told: Told): boolean
  onDrain(resume: () => void): void
  /** The processor is not listened to while anybody holds it up. */
  holdUp(who: object): void
  goOn(who: object): void
  /** Calls back once the processor is connected to; never if it cannot be. */
  whenReached(then: () => void): void
  /** The processor cannot be relied upon. */
  fail(fault: ProcessorFault): void
  /** What the client has got so far must not look like the whole. */
  cut(fault: ProcessorFault): void
  /** A direction has nothing more to show. */
  finished(): void
}

/** Who hears what a processor says while a body flows. */
export interface Hearer {
  heard(answer: Answer): void
  broke(fault: unknown): void
  /** Whether nothing of the body is with the processor only. */
  readonly canBypass: boolean
  /** What comes passes as it is from now on, and what was sent does too. */
  bypass(): void
}

/** What a processor wants the client to get at once, thrown to those who wait for something else. */
export class Interruption extends Fault {
  readonly reply: Reply

  constructor(reply: Reply) {
    super('ext_proc_immediate', 'the processor answered itself', { status: reply.status, reason: 'ExtProc' })
    this.reply = reply
  }
}

/** One direction of a conversation: who waits for what the processor says of it. */
export class Line {
  readonly direction: Direction
  readonly wire: Wire
  /** Something of the body has been sent. */
  handedOver = false
  #isBegun = false
  #isDone = false
  #hearer: Hearer | undefined = undefined
  #asking: (PromiseWithResolvers<Answer> & { readonly part: Answer['part'] }) | undefined = undefined
  /** What came in one go with the answer before it. */
  readonly #early: Answer[] = []
  readonly #patienceMs: number | undefined
  #patience: NodeJS.Timeout | undefined = undefined

  /** @param patienceMs How long the processor may take when it is its turn. */
  constructor(direction: Direction, wire: Wire, patienceMs: number | undefined) {
    this.direction = direction
    this.wire = wire
    this.#patienceMs = patienceMs
  }

  /** Nothing more is shown, and nothing waited for. */
  get isDone(): boolean {
    return this.#isDone
  }

  get isAsking(): boolean {
    return this.#asking !== undefined
  }

  get isFlowing(): boolean {
    return this.#hearer !== undefined && !this.#isDone
  }

  /**
   * Waits for what the processor says next, which has to be about this part.
   *
   * @param isPatient It may take as long as others take to send what it waits for.
   * @throws ProcessorFault, or Interruption.
   */
  async answer<P extends Answer['part']>(
    part: P,
    isPatient = false,
  ): Promise<Extract<Answer, { readonly part: P }>> {
    const { isClosed, obstacle } = this.wire
    if (isClosed) {
      if (obstacle) throw obstacle
      return unchanged(part) as Extract<Answer, { readonly part: P }>
    }
    this.#isBegun = true
    if (!isPatient) this.expect()
    const asking = { part, ...Promise.withResolvers<Answer>() }
    this.#asking = asking
    const early = this.#early.shift()
    if (early) this.heard(early)
    return (await asking.promise) as Extract<Answer, { readonly part: P }>
  }

  /** From now on somebody hears everything. */
  listen(hearer: Hearer): void {
    this.#hearer = hearer
    for (const answer of this.#early.splice(0)) hearer.heard(answer)
  }

  /** The processor said something. */
  heard(answer: Answer): void {
    const asking = this.#asking
    if (asking?.part === answer.part) {
      this.#asking = undefined
      this.relax()
      asking.resolve(answer)
    } else if (this.#hearer && !asking) {
      // Of a body that the processor has cut short itself it may still speak.
      if (!this.#isDone) this.#hearer.heard(answer)
    } else if (asking || !this.#isBegun || this.#isDone || this.#early.push(answer) > EARLY_LIMIT)
      this.wire.fail(nonsense('the processor spoke of what it was not shown'))
  }

  /** Whether it could do without what is still due. */
  get canBypass(): boolean {
    return this.#isDone || (this.#hearer?.canBypass ?? true)
  }

  /** The processor has seen enough: what it has not spoken of stays as it is. */
  bypass(): void {
    const asking = this.#asking
    this.#asking = undefined
    asking?.resolve(unchanged(asking.part))
    if (!this.#isDone) this.#hearer?.bypass()
  }

  /** Nothing more will be heard. */
  broke(why: unknown): void {
    this.relax()
    const asking = this.#asking
    this.#asking = undefined
    asking?.reject(why)
    if (!this.#isDone) this.#hearer?.broke(why)
  }

  finish(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.relax()
    this.wire.finished()
  }

  /** It is the processor's turn. */
  expect(): void {
    const limitMs = this.#patienceMs
    this.relax()
    if (limitMs !== undefined) this.#patience = setTimeout(() => this.wire.fail(late(limitMs)), limitMs)
  }

  /** It is not, or nobody waits for it. */
  relax(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
  }
}

/** More than that nobody says in one go. */
const EARLY_LIMIT = 64

const unchanged = (part: Answer['part']): Answer => {
  if (part === 'trailers') return { part, mutation: undefined }
  if (part === 'body') return { part, response: undefined }
  return { part, response: undefined, metadata: undefined, override: undefined }
}
