import type { ConfigWarning } from '../../model/resources/resources.ts'
import type { ConfigDocument } from '../document/document.ts'
import { type ConfigProblem, problemAt } from '../errors.ts'
import type { ConfigFile } from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import type { NamedFiles } from '../document/referenced-files.ts'
import { printable } from '../schema-check/printable.ts'
import type { Pruned } from '../document/prune-invalid.ts'

/** An entry of a list, with its location in the file. */
export interface Item<T> {
  readonly value: T
  /** Its position in the original list. */
  readonly index: number
  readonly pointer: string
}

interface Words {
  readonly hint?: string | undefined
  /** Printed before the sentence, unless it is a secret. */
  readonly value?: unknown
}

/** The input of semantic checks, and the collector of their results. */
export class ValidationContext {
  readonly file: ConfigFile
  readonly document: ConfigDocument
  readonly problems: ConfigProblem[] = []
  readonly warnings: ConfigWarning[] = []
  readonly #sound: Pruned
  readonly #files: NamedFiles

  /** Whether what the document refers to may be elsewhere, so that it is not looked for. */
  readonly isPartial: boolean

  constructor(document: ConfigDocument, sound: Pruned, files: NamedFiles, isPartial = false) {
    this.document = document
    this.isPartial = isPartial
    this.file = sound.value as ConfigFile // the part that fits the schema
    this.#sound = sound
    this.#files = files
  }

  /** The valid entries of a list, with their original positions. */
  items<T>(list: readonly T[] | undefined, pointer: string): readonly Item<T>[] {
    return (list ?? []).map((value, position) => {
      const index = this.#sound.originalIndex(list ?? [], position)
      return { value, index, pointer: child(pointer, index) }
    })
  }

  /** The text of a file that a field refers to. Undefined, with a problem, if it cannot be read. */
  fileText(pointer: string, path: string): string | undefined {
    const file = this.#files.read(path)
    if ('text' in file) return file.text
    this.#unreadable(pointer, path, file.problem, file.where)
    return undefined
  }

  /**
   * As `fileText`, for a file that its users watch; also undefined if there are no files. An invalid one is watched
   * like an invalid configuration.
   *
   * @param problemOf Returns what is wrong with the text, completing the sentence `"path" …`.
   */
  watchedFile(
    pointer: string,
    path: string,
    problemOf: (text: string) => string | undefined,
  ): string | undefined {
    const file = this.#files.peek?.(path)
    if (file === undefined) return undefined
    const problem = 'problem' in file ? file.problem : problemOf(file.text)
    if (problem === undefined) return 'text' in file ? file.text : undefined
    this.#files.read(path)
    this.#unreadable(pointer, path, problem, 'where' in file ? file.where : undefined)
    return undefined
  }

  /** The path may be a secret in the wrong field: messages do not repeat it. */
  #unreadable(pointer: string, path: string, problem: string, where = ''): void {
    const isShown = printable(this.document, pointer, path) === JSON.stringify(path)
    this.wrongValue(pointer, isShown ? problem + where : problem, { value: path })
  }

  /** Reports a problem with a field, its name or its presence. */
  problem(pointer: string, expectation: string, hint?: string): void {
    this.problems.push(problemAt(this.document, pointer, this.document.keyAt(pointer), { expectation, hint }))
  }

  /** Reports a problem with a value. */
  wrongValue(pointer: string, expectation: string, { hint, value }: Words = {}): void {
    const shown = value === undefined ? undefined : printable(this.document, pointer, value)
    const found = this.document.valueAt(pointer)
    this.problems.push(problemAt(this.document, pointer, found, { expectation, hint, value: shown }))
  }

  warning(pointer: string, code: string, message: string): void {
    const path = this.document.display(pointer)
    this.warnings.push({ code, path, ...this.document.keyAt(pointer), message })
  }
}

/** A semantic check. */
export type Check = (view: ValidationContext) => void
