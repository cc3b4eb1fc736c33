import { readFileSync } from 'node:fs'

/**
 * Sessions that all ports of a process may have together: half of its open files. Anybody can begin sessions, from
 * forged addresses as well, and connections need open files, too.
 */
export class SessionBudget {
  /** Sessions that are open. */
  used = 0
  #limit: number | undefined = undefined

  /** Unlimited where the system does not say. */
  get limit(): number {
    return (this.#limit ??= Math.floor(maxOpenFiles() / 2))
  }

  get isExhausted(): boolean {
    return this.used >= this.limit
  }
}

const maxOpenFiles = (): number => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}
