/** A position in a program. Two frames with equal fields are the same frame. */
export interface ProfileFrame {
  /** Empty for anonymous functions. */
  readonly name: string
  /** URL or path of the script; empty for what is no script, such as the event loop. */
  readonly script: string
  /** Position of the call or allocation; from 1, 0 if unknown. */
  readonly line: number
  readonly column: number
  /** First line of the function; from 1, 0 if unknown. */
  readonly startLine: number
}

/** One distinct stack and its values. */
export interface ProfileStack {
  /** Indexes of frames, innermost first. */
  readonly frames: readonly number[]
  /** One number for each of the value types of the profile. */
  readonly values: number[]
}

/** Name and unit of a value, in the words of pprof. */
export type ValueType = readonly [type: string, unit: string]

/** Samples of a process, summed up by stack. */
export interface StackProfile {
  readonly valueTypes: readonly ValueType[]
  /** What causes a sample, and how much of it. */
  readonly period: { readonly type: ValueType; readonly value: number }
  readonly beganAtMs: number
  readonly durationMs: number
  readonly frames: readonly ProfileFrame[]
  readonly stacks: readonly ProfileStack[]
  /** Remarks for people, shown by `go tool pprof -comments`. */
  readonly comments: readonly string[]
}

/**
 * Sums up samples by stack. Bounded: beyond the maximum number of stacks, samples of new stacks are counted for one
 * frame `(other stacks)`.
 */
export class StackTable {
  readonly frames: ProfileFrame[] = []
  readonly #frameIds = new Map<string, number>()
  readonly #stacks = new Map<string, ProfileStack>()
  readonly #maxStacks: number

  constructor(maxStacks = 50_000) {
    this.#maxStacks = maxStacks
  }

  get stacks(): ProfileStack[] {
    return [...this.#stacks.values()]
  }

  /** The index of a frame. */
  frameId(frame: ProfileFrame): number {
    const key = `${frame.name}\n${frame.script}\n${frame.line}\n${frame.column}\n${frame.startLine}`
    let id = this.#frameIds.get(key)
    if (id === undefined) this.#frameIds.set(key, (id = this.frames.push(frame) - 1))
    return id
  }

  /** Adds values to those of a stack. */
  add(frames: readonly number[], values: readonly number[]): void {
    const key = frames.join(' ')
    const stack = this.#stacks.get(key)
    if (stack) values.forEach((value, i) => (stack.values[i] = (stack.values[i] ?? 0) + value))
    else if (this.#stacks.size < this.#maxStacks || key === this.#otherKey)
      this.#stacks.set(key, { frames, values: [...values] })
    else this.add([this.frameId(otherStacks)], values)
  }

  get #otherKey(): string {
    return String(this.frameId(otherStacks))
  }
}

/** A frame of the runtime, which has no script. */
export const runtimeFrame = (name: string): ProfileFrame => ({
  name,
  script: '',
  line: 0,
  column: 0,
  startLine: 0,
})

const otherStacks = runtimeFrame('(other stacks)')
