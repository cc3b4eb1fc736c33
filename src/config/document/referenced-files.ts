/** Contents of files that a configuration refers to, such as passwords and keys. */
export interface NamedFiles {
  /**
   * The content; or the reason why there is none, completing the sentence `"path" …`, and a suffix for
   * messages that may show the path.
   */
  read(path: string): { readonly text: string } | { readonly problem: string; readonly where?: string }
  /** As `read`, without recording the path: for files that are watched separately. Absent where there are no files. */
  peek?(path: string): ReturnType<NamedFiles['read']>
}

/**
 * Reads each file once, so that every check of a configuration sees the same content even if the file
 * changes meanwhile.
 */
export class FilesOnce implements NamedFiles {
  readonly #read: NamedFiles['read']
  readonly #known = new Map<string, ReturnType<NamedFiles['read']>>()

  constructor(read: NamedFiles['read']) {
    this.#read = read
  }

  /** The files that were read, or could not be read. */
  get paths(): readonly string[] {
    return [...this.#known.keys()]
  }

  read(path: string): ReturnType<NamedFiles['read']> {
    const result = this.#known.get(path) ?? this.#read(path)
    this.#known.set(path, result)
    return result
  }

  peek(path: string): ReturnType<NamedFiles['read']> {
    return this.#known.get(path) ?? this.#read(path)
  }
}

/** For configurations that are a text only. */
export const noFiles: NamedFiles = { read: () => ({ problem: 'cannot be read: there are no files here' }) }
