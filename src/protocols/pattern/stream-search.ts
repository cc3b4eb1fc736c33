import { Automaton, FRESH, NONE, type State } from './automaton.ts'

/** What is searched for, and how long a search may leave open what it has found. */
export interface Search {
  readonly automaton: Automaton
  /**
   * Has the last word about what matches. Belongs to patterns with a longest match.
   *
   * @param before The UTF-16 unit before the match; -1 if the text begins with it.
   * @returns Where the match ends; or, negative, that there is none: it is searched on from this far after its begin.
   */
  readonly judge?: ((text: string, start: number, end: number, before: number) => number) | undefined
  /** So many UTF-16 units after its begin a way that has not come to an end is taken for a match, as far as it goes. */
  readonly patience: number
  /** The same for what makes a match longer, after the end it has had so far. */
  readonly growth: number
  /** A way that is out of patience is not taken for a match: it has begun later. */
  readonly slides: boolean
}

/** A part of a text that matches: as much as is certain. */
export interface Hit {
  readonly start: number
  readonly end: number
  /** False for what continues the hit before. */
  readonly begins: boolean
}

/**
 * A search through one text, which may come in pieces: what is found does not depend on where they are cut.
 *
 * Everything is decided as soon as no character that may follow can change it. That takes one character after a match;
 * what cannot be the begin of a match is decided at once.
 */
export class Searching {
  readonly #search: Search
  #text = ''
  /** The unit before the text; -1 if there is none. */
  #edge = -1
  #at = 0
  #state: State
  /** Where each way of the state has begun. */
  #starts: number[] = []
  #spare: number[] = []
  /** The best match so far: it stands unless one of the ways that are left comes to its end. */
  #start = NONE
  #end = NONE
  /** Where the last hit that has been told about ends, so far. What begins before continues that hit. */
  #told = NONE
  /** Patience is over: everything is part of a hit, until all ways have ended that began before `#cutFor`. */
  #cutting = false
  #cutFor = NONE
  #hits: Hit[] = []

  constructor(search: Search) {
    this.#search = search
    this.#state = search.automaton.quiet(-1)
  }

  /** What is left undecided, and what is being looked at: positions of hits are in here. */
  get text(): string {
    return this.#text
  }

  /** Whether there is a match already, whatever follows. */
  get hasFound(): boolean {
    return this.#cutting || (this.#end !== NONE && !this.#search.judge)
  }

  /** Whether nothing of the text is left open. */
  get isDecided(): boolean {
    return this.#decided() === this.#text.length
  }

  /** Looks at more of the text. @param isLast Nothing follows. @returns The hits that are certain now. */
  push(piece: string, isLast: boolean): readonly Hit[] {
    this.#text = this.#text === '' ? piece : this.#text + piece
    if (this.#hits.length > 0) this.#hits = []
    this.#run(this.#text, isLast)
    return this.#hits
  }

  /** Forgets what is decided. @returns How much that was. */
  settle(): number {
    const decided = this.#decided()
    if (decided === 0) return 0
    this.#edge = this.#text.charCodeAt(decided - 1)
    this.#text = decided === this.#text.length ? '' : this.#text.slice(decided)
    this.#at -= decided
    this.#told = Math.max(this.#told - decided, NONE)
    this.#cutFor -= decided
    if (this.#end !== NONE) {
      this.#start -= decided
      // Where it ends inside of what has been cut, it does not matter where.
      this.#end = Math.max(this.#end - decided, 0)
    }
    for (let i = 0; i < this.#state.ways.length; i++) this.#starts[i] = (this.#starts[i] as number) - decided
    return decided
  }

  #decided(): number {
    return this.#state.ways.length > 0 ? Math.max(this.#starts[0] as number, this.#told) : this.#at
  }

  #run(text: string, isLast: boolean): void {
    const { automaton } = this.#search
    const { opening } = automaton
    for (;;) {
      while (this.#at < text.length) {
        if (opening && this.#state.ways.length === 0 && text.length - this.#at > SHORT) {
          this.#skip(text, opening)
          if (this.#at === text.length) break
        }
        const rune = text.codePointAt(this.#at) as number
        // The other half may follow.
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
        if (left > 0) this.#lose()
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
    this.#tell()
  }

  /** Goes to the next character that can begin something: a tenth of what it takes to look at each. */
  #skip(text: string, opening: RegExp): void {
    opening.lastIndex = this.#at
    this.#at = opening.test(text) ? opening.lastIndex - 1 : text.length
    this.#state = this.#search.automaton.quiet(this.#before(this.#at))
  }

  #match(way: number): void {
    this.#start = this.#starts[way] as number
    this.#end = this.#at
  }

  #move(from: readonly number[]): void {
    const [starts, moved] = [this.#starts, this.#spare]
    for (let i = 0; i < from.length; i++) {
      const way = from[i] as number
      moved[i] = way === FRESH ? this.#at : (starts[way] as number)
    }
    this.#starts = moved
    this.#spare = starts
  }

  /** Loses patience, where it is time. */
  #lose(): void {
    if (this.#cutting) return
    const { patience, growth, slides } = this.#search
    const first = this.#starts[0] as number
    const isOver =
      this.#end !== NONE && first === this.#start
        ? this.#at - this.#end > growth
        : this.#at - first > patience
    if (!isOver) return
    if (slides && this.#end === NONE) {
      const least = this.#at - patience
      for (let i = 0; i < this.#state.ways.length; i++)
        this.#starts[i] = Math.max(this.#starts[i] as number, least)
      return
    }
    this.#hit(first, this.#at)
    this.#end = NONE
    this.#cutting = true
    this.#cutFor = this.#at
  }

  /** What is left began later, and is searched for as ever: if it matches, it continues the hit. */
  #stopCutting(): void {
    this.#hit(NONE, this.#at)
    this.#cutting = false
  }

  /** The hit ends: nothing is left that could make it longer. */
  #conclude(): void {
    const { automaton, judge } = this.#search
    let next = this.#cutting ? this.#at : Math.max(this.#end, this.#told)
    const end = judge ? judge(this.#text, this.#start, this.#end, this.#before(this.#start)) : next
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

  /** What is certain already of a hit that may go on. */
  #tell(): void {
    if (this.#cutting) this.#hit(NONE, this.#at)
    else if (this.#end !== NONE && !this.#search.judge && this.#starts[0] === this.#start)
      this.#hit(this.#start, this.#end)
  }

  #hit(from: number, end: number): void {
    const begins = from >= this.#told && from !== NONE
    const start = begins ? from : this.#told
    if (!begins && end <= start) return
    this.#hits.push({ start, end, begins })
    this.#told = end
  }
}

/** Texts that are done before it is worth while to skip anything. */
const SHORT = 32

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
