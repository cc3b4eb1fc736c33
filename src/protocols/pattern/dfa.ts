import { openingOf } from './literal-prefix.ts'
import { type Instruction, operations, type Program, consumesRune } from './program.ts'
import { trackCache } from '../../model/introspection/cache-usage.ts'

/** The class of the character before a position, as far as conditions use it. */
export type Before = typeof before.nothing | typeof before.lineEnd | typeof before.word | typeof before.other

/** The classes of the character before a position. */
export const before = { nothing: 0, lineEnd: 1, word: 2, other: 3 } as const

/** A state: the positions of all active threads of a program at one position of a text. */
export class State {
  /** For each thread that has consumed at least one character, in order of preference: its instruction. */
  readonly threads: readonly number[]
  readonly before: Before
  /** Whether new threads start here. Not after a match: they would belong to the next one. */
  readonly seeks: boolean
  readonly ascii: (Step | undefined)[] = Array.from({ length: 128 }, () => undefined)
  readonly others = new Map<number, Step>()
  /** The thread that matches if the text ends here. */
  ending: number | undefined = undefined

  constructor(threads: readonly number[], stands: Before, seeks: boolean) {
    this.threads = threads
    this.before = stands
    this.seeks = seeks
  }
}

/** The transition for a character. */
export interface Step {
  readonly to: State
  /** For each thread afterwards, its index before; `FRESH` if it started with this character. */
  readonly from: readonly number[]
  /** The thread whose match ends before this character; `NONE` if there is none. */
  readonly matched: number
}

/** No thread. */
export const NONE = -1
/** A new thread. */
export const FRESH = -1

/** The cache of states is cleared beyond this number of threads in total. */
const MAX_THREADS = 200_000
const MOST_OTHERS = 4_096
const END = -1

/**
 * Runs a program over texts. Transitions are computed on first use and cached, so that a character usually
 * costs one table lookup. Finds the same matches as a backtracking engine.
 *
 * Belongs to a program, and serves any number of texts concurrently.
 */
export class Automaton {
  readonly program: Program
  /** Finds the possible first characters of matches, if they are few and all of them ASCII. */
  readonly opening: RegExp | undefined
  readonly #quiet: (State | undefined)[] = []
  readonly #conditions: number
  readonly #visited: Uint32Array
  readonly #taken: Uint32Array
  #round = 0
  #states = new Map<string, State>()
  #cachedThreads = 0
  // Targets of the instructions during an expansion.
  #rune = END
  #satisfied = 0
  #ways: number[] = []
  #from: number[] = []

  constructor(program: Program) {
    this.program = program
    const { instructions } = program
    this.#conditions = instructions.reduce((all, i) => (i.op === operations.condition ? all | i.arg : all), 0)
    this.#visited = new Uint32Array(instructions.length)
    this.#taken = new Uint32Array(instructions.length)
    this.opening = openingOf(program)
    trackCache('pattern_threads', this, { maxEntries: MAX_THREADS })
  }

  /** Cached threads, of all its states. */
  get size(): number {
    return this.#cachedThreads
  }

  /** The initial state. @param unit The UTF-16 unit before the position; -1 at the start of the text. */
  quiet(unit: number): State {
    const kind = this.#kind(unit)
    return (this.#quiet[kind] ??= this.#state([], kind, true))
  }

  /** The same state, without new threads. */
  closed(state: State): State {
    return this.#state(state.threads, state.before, false)
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

  /** The thread that matches if nothing follows; `NONE` if there is none. */
  ending(state: State): number {
    return (state.ending ??= this.#look(state, END))
  }

  #look(state: State, rune: number): number {
    this.#round++
    this.#rune = rune
    this.#satisfied = conditionsAt(state.before, rune)
    this.#ways = []
    this.#from = []
    for (const [thread, pc] of state.threads.entries()) if (this.#visit(pc, thread)) return thread
    // An empty match does not count, but alternatives with lower preference are excluded by it.
    if (state.seeks && rune !== END) this.#visit(this.program.start, FRESH)
    return NONE
  }

  /** @returns Whether the end was reached, so that threads of lower preference are dropped. */
  #visit(pc: number, thread: number): boolean {
    if (this.#visited[pc] === this.#round) return false
    this.#visited[pc] = this.#round
    const instruction = this.program.instructions[pc] as Instruction
    const { op, out, arg } = instruction
    if (op === operations.end) return true
    if (op === operations.fork || op === operations.forkToEnd)
      return this.#visit(out, thread) || this.#visit(arg, thread)
    if (op === operations.capture || op === operations.nothing) return this.#visit(out, thread)
    if (op === operations.condition) return (arg & ~this.#satisfied) === 0 && this.#visit(out, thread)
    if (op !== operations.fail && this.#rune !== END && consumesRune(instruction, this.#rune)) {
      if (this.#taken[out] === this.#round) return false
      this.#taken[out] = this.#round
      this.#ways.push(out)
      this.#from.push(thread)
    }
    return false
  }

  #state(threads: readonly number[], stands: Before, seeks: boolean): State {
    const key = `${stands}${seeks}${threads.join()}`
    const known = this.#states.get(key)
    if (known) return known
    this.#cachedThreads += threads.length + 10
    // Active searches keep the states they need; the rest is computed again.
    if (this.#cachedThreads > MAX_THREADS) {
      this.#states = new Map()
      this.#cachedThreads = 0
    }
    const state = new State(threads, stands, seeks)
    this.#states.set(key, state)
    return state
  }

  /** Distinguishes only what the conditions of the program distinguish, so that there are few states. */
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
const conditionsAt = (stands: Before, rune: number): number => {
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
