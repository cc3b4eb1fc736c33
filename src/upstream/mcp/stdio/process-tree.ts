import { readdirSync, readFileSync } from 'node:fs'

/**
 * A process group with everything its leader started: the group, and processes that left it (browsers and daemons do)
 * as far as `scan` found them. Scanning needs the `/proc` of Linux; elsewhere only the group is known.
 */
export class ProcessTree {
  /** The process id of the leader. */
  readonly leader: number
  #leaderGone = false
  /** Ids of processes outside the group, with their start times: ids are reused. */
  readonly #outside = new Map<number, string>()

  constructor(leader: number) {
    this.leader = leader
  }

  /** The leader has exited and was reaped: its id may be reused. */
  leaderGone(): void {
    this.#leaderGone = true
  }

  /** Finds descendants outside the group. Those whose parent has exited cannot be found. */
  scan(): void {
    const todo = [...this.#outside.keys()].filter((id) => this.#isOutside(id))
    if (!this.#leaderGone) todo.push(this.leader)
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      for (const child of childrenOf(id)) {
        todo.push(child)
        const stat = statOf(child)
        if (stat && stat.group !== this.leader) this.#outside.set(child, stat.born)
      }
    }
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    signal(-this.leader, name)
    for (const id of this.#outside.keys()) if (this.#isOutside(id)) signal(id, name)
  }

  /**
   * Whether any process of it is left. If the leader has left others behind, this reads every process of the system.
   */
  get alive(): boolean {
    if (!this.#leaderGone || (signal(-this.leader, 0) && hasMembers(this.leader))) return true
    for (const id of this.#outside.keys()) if (this.#isOutside(id)) return true
    return false
  }

  #isOutside(id: number): boolean {
    const stat = statOf(id)
    return stat !== undefined && stat.born === this.#outside.get(id) && stat.state !== 'Z'
  }
}

/** @returns Whether the process or group exists. */
const signal = (id: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(id, name)
  } catch (error) {
    // It exists, but runs as another user.
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return true
    return false
  }
}

/** Zombies that are not reaped count as members for signals. */
const hasMembers = (group: number): boolean => {
  const all = idsIn('/proc')
  return (
    all.length === 0 ||
    all.some((id) => {
      const stat = statOf(id)
      return stat?.group === group && stat.state !== 'Z'
    })
  )
}

interface ProcessStat {
  readonly state: string
  readonly group: number
  /** In ticks since the system started. */
  readonly born: string
}

const statOf = (id: number): ProcessStat | undefined => {
  const text = read(`/proc/${id}/stat`)
  // The second field is the name in parentheses, which may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', , group] = fields
  return text === '' ? undefined : { state, group: Number(group), born: fields[19] ?? '' }
}

/** Each thread lists the children that it started. */
const childrenOf = (id: number): number[] =>
  idsIn(`/proc/${id}/task`).flatMap((thread) =>
    (read(`/proc/${id}/task/${thread}/children`).match(/\d+/g) ?? []).map(Number),
  )

/** Numeric names in a folder. */
const idsIn = (folder: string): number[] => {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** A file that cannot be read does not exist. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
