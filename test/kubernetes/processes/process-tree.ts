import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What programs have started, as the kernel has it. */
export interface ProcessTree {
  /** Names of their programs, for messages. */
  readonly programs: readonly string[]
  /** Namespaces that this process is not in, such as `net:[4026532000]`. */
  readonly namespaces: ReadonlySet<string>
  /** Those that run still, and others in the same namespaces. */
  remaining(): readonly string[]
}

/** A process and all that it has started, pods of a lab included. */
export const processTree = (root: number): ProcessTree => {
  const all = new Map(processes().map((one) => [one.pid, one]))
  const isBelow = (one: RunningProcess | undefined): boolean =>
    one !== undefined && (one.pid === root || isBelow(all.get(one.parent)))
  const members = [...all.values()].filter(isBelow)
  const own = new Set(namespacesOf(process.pid))
  const namespaces = new Set(members.flatMap(({ pid }) => namespacesOf(pid)).filter((name) => !own.has(name)))
  const ids = new Set(members.map(({ id }) => id))
  return {
    programs: members.map(({ program }) => program),
    namespaces,
    remaining: () =>
      processes()
        .filter(({ id, pid }) => ids.has(id) || namespacesOf(pid).some((name) => namespaces.has(name)))
        .map(({ pid, program }) => `${pid} ${program}`),
  }
}

interface RunningProcess {
  readonly pid: number
  readonly parent: number
  readonly program: string
  /** Numbers of processes are used again, but not at the same time. */
  readonly id: string
}

const processes = (): readonly RunningProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        // The name of a program may have anything in it.
        const end = stat.lastIndexOf(')')
        const fields = stat.slice(end + 2).split(' ')
        const program = stat.slice(stat.indexOf('(') + 1, end)
        // What has ended and is not waited for has nothing any more.
        if (fields[0] === 'Z') return []
        return [{ pid: Number(name), parent: Number(fields[1]), program, id: `${name} ${fields[19] ?? ''}` }]
      } catch {
        // It has ended since.
        return []
      }
    })

const namespacesOf = (pid: number): readonly string[] =>
  ['net', 'mnt', 'pid'].flatMap((kind) => {
    try {
      return [readlinkSync(`/proc/${pid}/ns/${kind}`)]
    } catch {
      return []
    }
  })
