import { readdirSync, readFileSync } from 'node:fs'

/**
 * A process that leads a group of its own, with everything it started: the group, and what has left the group (browsers
 * and daemons do) as far as `look` found it. Looking takes the `/proc` of Linux; elsewhere only the group is known.
 */
export class ProcessTree {
  readonly #leader: number
  #leaderGone = false
  /** Ids of processes outside of the group, with the time of their birth: an id may be given to somebody else. */
  readonly #outside = new Map<number, string>()

  constructor(leader: number) {
    this.#leader = leader
  }

  /** The first process has ended and been seen to its end: its id is nobody's now. */
  leaderGone(): void {
    this.#leaderGone = true
  }

  /** Notes descendants that are not in the group. Those whose parent has ended cannot be found any more. */
  look(): void {
    const todo = [...this.#outside.keys()].filter((id) => this.#isOutside(id))
    if (!this.#leaderGone) todo.push(this.#leader)
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      for (const child of childrenOf(id)) {
        todo.push(child)
        const facts = factsOf(child)
        if (facts && facts.group !== this.#leader) this.#outside.set(child, facts.born)
      }
    }
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    signal(-this.#leader, name)
    for (const id of this.#outside.keys()) if (this.#isOutside(id)) signal(id, name)
  }

  /** Whether anything of it is left. Costs a look at every process of the system if the first one has left others behind. */
  get alive(): boolean {
    if (!this.#leaderGone || (signal(-this.#leader, 0) && hasMembers(this.#leader))) return true
    for (const id of this.#outside.keys()) if (this.#isOutside(id)) return true
    return false
  }

  #isOutside(id: number): boolean {
    const facts = factsOf(id)
    return facts !== undefined && facts.born === this.#outside.get(id) && facts.state !== 'Z'
  }
}

/** @returns Whether there is anybody to signal. */
const signal = (id: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(id, name)
  } catch (error) {
    // Somebody is there who may not be signalled, having become another user.
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return true
    return false
  }
}

/** Those that have ended, and wait for whoever inherited them to take note, are members too as far as signals go. */
const hasMembers = (group: number): boolean => {
  const all = idsIn('/proc')
  return (
    all.length === 0 ||
    all.some((id) => {
      const facts = factsOf(id)
      return facts?.group === group && facts.state !== 'Z'
    })
  )
}

interface Facts {
  readonly state: string
  readonly group: number
  /** In ticks since the system started. */
  readonly born: string
}

const factsOf = (id: number): Facts | undefined => {
  const text = read(`/proc/${id}/stat`)
  // The second field is the name, in parentheses, with whatever characters it likes.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', , group] = fields
  return text === '' ? undefined : { state, group: Number(group), born: fields[19] ?? '' }
}

/** Each thread has the children that it started itself. */
const childrenOf = (id: number): number[] =>
  idsIn(`/proc/${id}/task`).flatMap((thread) =>
    (read(`/proc/${id}/task/${thread}/children`).match(/\d+/g) ?? []).map(Number),
  )

/** Numbers among the names of a folder. */
const idsIn = (folder: string): number[] => {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** Whatever cannot be read is gone, or was never there. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
