/** One instruction: its keyword, and the rest of its line. */
export interface Instruction {
  readonly word: string
  readonly rest: string
}

/** A stage that begins with `FROM`. */
export interface Stage {
  readonly image: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

/**
 * The stages of a Dockerfile. Supports what the project's uses: no line continuations, no variables, no build mounts.
 */
export const readDockerfile = (text: string): Stage[] => {
  const stages: { image: string; name: string; instructions: Instruction[] }[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [word = '', ...words] = line.split(' ')
    if (word === 'FROM') {
      stages.push({ image: words[0]!, name: words[2] ?? String(stages.length), instructions: [] })
    } else {
      stages.at(-1)!.instructions.push({ word, rest: words.join(' ') })
    }
  }
  return stages
}

/** What a `COPY` copies, and where to. */
export interface Copied {
  /** The stage that it copies from; undefined for the build context. */
  readonly from: string | undefined
  readonly owner: string | undefined
  readonly paths: readonly string[]
  readonly target: string
}

/** The parts of a `COPY`. */
export const readCopy = (rest: string): Copied => {
  const [options = '', from, owner] = /^--from=(\S+) (?:--chown=(\S+) )?/.exec(rest) ?? []
  const paths = rest.slice(options.length).split(' ')
  const target = paths.pop()!
  return { from, owner, paths, target }
}
