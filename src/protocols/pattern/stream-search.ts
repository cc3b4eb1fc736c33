import { Automaton, FRESH, NONE, type State } from './dfa.ts'

/** The parameters of a search. */
export interface Search {
  readonly automaton: Automaton
  /**
   * Confirms or rejects a match. For patterns with a bounded match only.
   *
   * @param before The UTF-16 unit before the match; -1 if the text begins with it.
   * @returns The end of the match; negative if there is none: the search continues that many units after its start.
   */
  readonly confirm?: ((text: string, start: number, end: number, before: number) => number) | undefined
  /** UTF-16 units after its start at which an unfinished thread counts as a match of the text so far. */
  readonly pendingLimit: number
  /** The same for the extension of a match, counted from its current end. */
  readonly growth: number
  /** A thread beyond that limit does not count as a match: its start moves forward. */
  readonly slides: boolean
}

/** A part of a text that matches, as far as it is certain. */
export interface Hit {
  readonly start: number
  readonly end: number
  /** False if it continues the previous hit. */
  readonly begins: boolean
}

/**
 * A search through one text, which may arrive in pieces: the hits do not depend on where it is cut.
 *
 * Everything is decided as soon as no following character can change it. That takes one character after a
 * match; characters that cannot start a match are decided at once.
 */
export class StreamSearch {
  readonly #search: Search
  #text = ''
  /** The unit before the text; -1 if there is none. */
  #edge = -1
  #at = 0
  #state: State
  /** The start of each thread of the state. */
  #starts: number[] = []
  #spare: number[] = []
  /** The best match so far: it stands unless a remaining thread with higher preference matches. */
  #start = NONE
  #end = NONE
  /** The end so far of the last reported hit. A match that starts before it continues that hit. */
  #reported = NONE
  /**
   * The limit is exceeded: everything is part of a hit, until all threads that started before `#cutFor` have
   * ended.
   */
  #cutting = false
  #cutFor = NONE
  #hits: Hit[] = []

  constructor(search: Search) {
    this.#search = search
    this.#state = search.automaton.quiet(-1)
  }

  /** The undecided text with the current piece: positions of hits are relative to it. */
  get text(): string {
    return this.#text
  }

  /** Whether a match is certain, regardless of further text. */
  get hasFound(): boolean {
    return this.#cutting || (this.#end !== NONE && !this.#search.confirm)
  }

  /** Whether no part of the text is undecided. */
  get isDecided(): boolean {
    return this.#decided() === this.#text.length
  }

  /** Searches the next piece. @param isLast Nothing follows. @returns The hits that are certain now. */
  push(piece: string, isLast: boolean): readonly Hit[] {
    this.#text = this.#text === '' ? piece : this.#text + piece
    if (this.#hits.length > 0) this.#hits = []
    this.#run(this.#text, isLast)
    return this.#hits
  }

  /** Drops the decided part. @returns Its length. */
  dropDecided(): number {
    const decided = this.#decided()
    if (decided === 0) return 0
    this.#edge = this.#text.charCodeAt(decided - 1)
    this.#text = decided === this.#text.length ? '' : this.#text.slice(decided)
    this.#at -= decided
    this.#reported = Math.max(this.#reported - decided, NONE)
    this.#cutFor -= decided
    if (this.#end !== NONE) {
      this.#start -= decided
      // If it ends within the dropped part, its exact position is irrelevant.
      this.#end = Math.max(this.#end - decided, 0)
    }
    for (let i = 0; i < this.#state.threads.length; i++)
      this.#starts[i] = (this.#starts[i] as number) - decided
    return decided
  }

  #decided(): number {
    return this.#state.threads.length > 0 ? Math.max(this.#starts[0] as number, this.#reported) : this.#at
  }

  #run(text: string, isLast: boolean): void {
    const { automaton } = this.#search
    const { opening } = automaton
    for (;;) {
      while (this.#at < text.length) {
        if (opening && this.#state.threads.length === 0 && text.length - this.#at > SHORT) {
          this.#skip(text, opening)
          if (this.#at === text.length) break
        }
        const rune = text.codePointAt(this.#at) as number
        // The second half may follow.
        if (isHighSurrogate(rune) && this.#at + 1 === text.length && !isLast) break
        const step =
          rune < 128
            ? (this.#state.ascii[rune] ?? automaton.step(this.#state, rune))
            : automaton.step(this.#state, rune)
        if (step.matched !== NONE) this.#match(step.matched)
        const left = step.from.length
        if (left === 0 && (this.#end !== NONE || this.#cutting)) {
          this.#conclude()
          continue
        }
        if (left > 0) {
          this.#move(step.from)
          if (this.#cutting && (this.#starts[0] as number) >= this.#cutFor) this.#stopCutting()
        }
        this.#state = step.to
        this.#at += rune > 0xffff ? 2 : 1
        if (left > 0) this.#applyLimits()
      }
      if (!isLast) break
      const ending = automaton.ending(this.#state)
      if (ending !== NONE) this.#match(ending)
      if (this.#end === NONE && !this.#cutting) {
        this.#state = automaton.quiet(-1)
        break
      }
      this.#conclude()
    }
    this.#report()
  }

  /** Skips to the next possible first character: a tenth of the time of visiting each. */
  #skip(text: string, opening: RegExp): void {
    opening.lastIndex = this.#at
    this.#at = opening.test(text) ? opening.lastIndex - 1 : text.length
    this.#state = this.#search.automaton.quiet(this.#before(this.#at))
  }

  #match(thread: number): void {
    this.#start = this.#starts[thread] as number
    this.#end = this.#at
  }

  #move(from: readonly number[]): void {
    const [starts, moved] = [this.#starts, this.#spare]
    for (let i = 0; i < from.length; i++) {
      const thread = from[i] as number
      moved[i] = thread === FRESH ? this.#at : (starts[thread] as number)
    }
    this.#starts = moved
    this.#spare = starts
  }

  /** Applies the limits of unfinished threads. */
  #applyLimits(): void {
    if (this.#cutting) return
    const { pendingLimit, growth, slides } = this.#search
    const first = this.#starts[0] as number
    const isOver =
      this.#end !== NONE && first === this.#start
        ? this.#at - this.#end > growth
        : this.#at - first > pendingLimit
    if (!isOver) return
    if (slides && this.#end === NONE) {
      const least = this.#at - pendingLimit
      for (let i = 0; i < this.#state.threads.length; i++)
        this.#starts[i] = Math.max(this.#starts[i] as number, least)
      return
    }
    this.#hit(first, this.#at)
    this.#end = NONE
    this.#cutting = true
    this.#cutFor = this.#at
  }

  /** The remaining threads started later and are searched as usual: if one matches, it continues the hit. */
  #stopCutting(): void {
    this.#hit(NONE, this.#at)
    this.#cutting = false
  }

  /** Ends the hit: no remaining thread can extend it. */
  #conclude(): void {
    const { automaton, confirm } = this.#search
    let next = this.#cutting ? this.#at : Math.max(this.#end, this.#reported)
    const end = confirm ? confirm(this.#text, this.#start, this.#end, this.#before(this.#start)) : next
    if (end >= 0) this.#hit(this.#cutting ? NONE : this.#start, (next = end))
    else next = this.#start - end
    this.#at = next
    this.#start = this.#end = NONE
    this.#cutting = false
    this.#state = automaton.quiet(this.#before(next))
  }

  #before(at: number): number {
    return at > 0 ? this.#text.charCodeAt(at - 1) : this.#edge
  }

  /** Reports the certain part of a hit that may continue. */
  #report(): void {
    if (this.#cutting) this.#hit(NONE, this.#at)
    else if (this.#end !== NONE && !this.#search.confirm && this.#starts[0] === this.#start)
      this.#hit(this.#start, this.#end)
  }

  #hit(from: number, end: number): void {
    const begins = from >= this.#reported && from !== NONE
    const start = begins ? from : this.#reported
    if (!begins && end <= start) return
    this.#hits.push({ start, end, begins })
    this.#reported = end
  }
}

/** For shorter texts skipping does not pay. */
const SHORT = 32

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
