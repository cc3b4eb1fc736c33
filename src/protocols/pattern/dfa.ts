import { openingOf } from './opening.ts'
import { type Instruction, operations, type Program, takes } from './program.ts'

/** What stands before a place in a text, as far as conditions ask for it. */
export type Before = typeof before.nothing | typeof before.lineEnd | typeof before.word | typeof before.other

/** The kinds of what stands before. */
export const before = { nothing: 0, lineEnd: 1, word: 2, other: 3 } as const

/** Where all ways through a program stand at one place of a text. */
export class State {
  /** Of each way that has taken at least one character, in order of preference: the instruction it stands at. */
  readonly ways: readonly number[]
  readonly before: Before
  /** Whether new ways begin here. Not after a match: those would be of the next. */
  readonly seeks: boolean
  readonly ascii: (Step | undefined)[] = Array.from({ length: 128 }, () => undefined)
  readonly others = new Map<number, Step>()
  /** The way that has a match if the text ends here. */
  ending: number | undefined = undefined

  constructor(ways: readonly number[], stands: Before, seeks: boolean) {
    this.ways = ways
    this.before = stands
    this.seeks = seeks
  }
}

/** What a character does. */
export interface Step {
  readonly to: State
  /** Of each way afterwards, the way it was before; `FRESH` if it began with this character. */
  readonly from: readonly number[]
  /** The way that has a match that ends before this character; `NONE` if no way has. */
  readonly matched: number
}

/** No way. */
export const NONE = -1
/** A way that begins. */
export const FRESH = -1

/** So many instructions all states together stand at before they are forgotten. */
const MOST_WAYS = 200_000
const MOST_OTHERS = 4_096
const END = -1

/**
 * Runs a program over texts, whose characters cost as much as a look into a table once they have been met: what a
 * character does to a state is worked out when it first happens. Finds what a backtracking engine would find.
 *
 * Belongs to a program, and serves any number of texts at the same time.
 */
export class Automaton {
  readonly program: Program
  /** Finds the characters with which matches can begin, where they are few and all of them ASCII. */
  readonly opening: RegExp | undefined
  readonly #quiet: (State | undefined)[] = []
  readonly #conditions: number
  readonly #visited: Uint32Array
  readonly #taken: Uint32Array
  #round = 0
  #states = new Map<string, State>()
  #waysKept = 0
  // Where the instructions lead that are being looked at.
  #rune = END
  #holding = 0
  #ways: number[] = []
  #from: number[] = []

  constructor(program: Program) {
    this.program = program
    const { instructions } = program
    this.#conditions = instructions.reduce((all, i) => (i.op === operations.condition ? all | i.arg : all), 0)
    this.#visited = new Uint32Array(instructions.length)
    this.#taken = new Uint32Array(instructions.length)
    this.opening = openingOf(program)
  }

  /** Nothing has begun yet. @param unit The UTF-16 unit before the place; -1 if the text begins there. */
  quiet(unit: number): State {
    const kind = this.#kind(unit)
    return (this.#quiet[kind] ??= this.#state([], kind, true))
  }

  /** The same state, but nothing new begins. */
  closed(state: State): State {
    return this.#state(state.ways, state.before, false)
  }

  step(state: State, rune: number): Step {
    const known = rune < 128 ? state.ascii[rune] : state.others.get(rune)
    if (known) return known
    const matched = this.#look(state, rune)
    const seeks = state.seeks && matched === NONE
    const step = { to: this.#state(this.#ways, this.#kind(rune), seeks), from: this.#from, matched }
    if (rune < 128) state.ascii[rune] = step
    else {
      if (state.others.size >= MOST_OTHERS) state.others.clear()
      state.others.set(rune, step)
    }
    return step
  }

  /** The way that has a match if nothing follows; `NONE` if no way has. */
  ending(state: State): number {
    return (state.ending ??= this.#look(state, END))
  }

  #look(state: State, rune: number): number {
    this.#round++
    this.#rune = rune
    this.#holding = holding(state.before, rune)
    this.#ways = []
    this.#from = []
    for (const [way, pc] of state.ways.entries()) if (this.#visit(pc, way)) return way
    // A match of nothing is none, but what the pattern would like less than that does not come into question either.
    if (state.seeks && rune !== END) this.#visit(this.program.start, FRESH)
    return NONE
  }

  /** @returns Whether the end has been reached, so that ways that come later do not matter any more. */
  #visit(pc: number, way: number): boolean {
    if (this.#visited[pc] === this.#round) return false
    this.#visited[pc] = this.#round
    const instruction = this.program.instructions[pc] as Instruction
    const { op, out, arg } = instruction
    if (op === operations.end) return true
    if (op === operations.fork || op === operations.forkToEnd)
      return this.#visit(out, way) || this.#visit(arg, way)
    if (op === operations.capture || op === operations.nothing) return this.#visit(out, way)
    if (op === operations.condition) return (arg & ~this.#holding) === 0 && this.#visit(out, way)
    if (op !== operations.fail && this.#rune !== END && takes(instruction, this.#rune)) {
      if (this.#taken[out] === this.#round) return false
      this.#taken[out] = this.#round
      this.#ways.push(out)
      this.#from.push(way)
    }
    return false
  }

  #state(ways: readonly number[], stands: Before, seeks: boolean): State {
    const key = `${stands}${seeks}${ways.join()}`
    const known = this.#states.get(key)
    if (known) return known
    this.#waysKept += ways.length + 10
    // Texts that are being followed keep the states they need; the rest is worked out once more.
    if (this.#waysKept > MOST_WAYS) {
      this.#states = new Map()
      this.#waysKept = 0
    }
    const state = new State(ways, stands, seeks)
    this.#states.set(key, state)
    return state
  }

  /** Tells apart only what the conditions of the program tell apart, so that there are few states. */
  #kind(unit: number): Before {
    const kind = kindOf(unit)
    if (kind === before.nothing && !(this.#conditions & (LINE_BEGIN | TEXT_BEGIN))) return before.other
    if (kind === before.lineEnd && !(this.#conditions & LINE_BEGIN)) return before.other
    if (kind === before.word && !(this.#conditions & (BORDER | NO_BORDER))) return before.other
    return kind
  }
}

const [LINE_BEGIN, LINE_END, TEXT_BEGIN, TEXT_END, BORDER, NO_BORDER] = [1, 2, 4, 8, 16, 32]

/** The conditions that hold between two characters. */
const holding = (stands: Before, rune: number): number => {
  const borders = (stands === before.word) !== (kindOf(rune) === before.word)
  return (
    (stands === before.nothing ? LINE_BEGIN | TEXT_BEGIN : stands === before.lineEnd ? LINE_BEGIN : 0) |
    (rune === END ? LINE_END | TEXT_END : rune === 10 ? LINE_END : 0) |
    (borders ? BORDER : NO_BORDER)
  )
}

const kindOf = (unit: number): Before => {
  if (unit < 0) return before.nothing
  if (unit === 10) return before.lineEnd
  const isWord =
    (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95
  return isWord ? before.word : before.other
}
