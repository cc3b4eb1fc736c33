/** Texts of files that a configuration names, such as those of passwords and keys. */
export interface NamedFiles {
  /** The text; or why there is none, completing the sentence `"path" …`. */
  read(path: string): { readonly text: string } | { readonly problem: string }
  /** As `read`, for files that those who use them watch. Absent where there are no files. */
  peek?(path: string): ReturnType<NamedFiles['read']>
}

/** Reads each file once, so that all who look at a configuration see the same, whatever happens to the file meanwhile. */
export class FilesOnce implements NamedFiles {
  readonly #read: NamedFiles['read']
  readonly #known = new Map<string, ReturnType<NamedFiles['read']>>()

  constructor(read: NamedFiles['read']) {
    this.#read = read
  }

  /** The files that were read, or could not be. */
  get paths(): readonly string[] {
    return [...this.#known.keys()]
  }

  read(path: string): ReturnType<NamedFiles['read']> {
    const answer = this.#known.get(path) ?? this.#read(path)
    this.#known.set(path, answer)
    return answer
  }

  peek(path: string): ReturnType<NamedFiles['read']> {
    return this.#known.get(path) ?? this.#read(path)
  }
}

/** For configurations that are only a text. */
export const noFiles: NamedFiles = { read: () => ({ problem: 'cannot be read: there are no files here' }) }
