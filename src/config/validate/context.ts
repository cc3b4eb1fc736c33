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
  /** Its index in the list of the file. */
  readonly index: number
  readonly pointer: string
}

interface Words {
  readonly hint?: string | undefined
  /** Printed before the sentence, unless it is a secret. */
  readonly value?: unknown
}

/** What semantic checks read, and the problems and warnings that they found. */
export class ValidationContext {
  readonly file: ConfigFile
  readonly document: ConfigDocument
  readonly problems: ConfigProblem[] = []
  readonly warnings: ConfigWarning[] = []
  readonly #sound: Pruned
  readonly #files: NamedFiles

  constructor(document: ConfigDocument, sound: Pruned, files: NamedFiles) {
    this.document = document
    this.file = sound.value as ConfigFile // the part that fits the schema
    this.#sound = sound
    this.#files = files
  }

  /** The entries of a list that fit the schema. Each keeps its index in the file. */
  items<T>(list: readonly T[] | undefined, pointer: string): readonly Item<T>[] {
    return (list ?? []).map((value, position) => {
      const index = this.#sound.originalIndex(list ?? [], position)
      return { value, index, pointer: child(pointer, index) }
    })
  }

  /** The text of a file that a field names. If it cannot be read: undefined, and a problem is recorded. */
  fileText(pointer: string, path: string): string | undefined {
    const answer = this.#files.read(path)
    if ('text' in answer) return answer.text
    this.#unreadable(pointer, path, answer.problem, answer.where)
    return undefined
  }

  /**
   * As `fileText`, for a file that is watched by those who use it; nothing also where there are no files. One that is
   * wrong is waited for like the configuration itself.
   *
   * @param problemOf Says what is wrong with the text, completing the sentence `"path" …`.
   */
  watchedFile(
    pointer: string,
    path: string,
    problemOf: (text: string) => string | undefined,
  ): string | undefined {
    const answer = this.#files.peek?.(path)
    if (answer === undefined) return undefined
    const problem = 'problem' in answer ? answer.problem : problemOf(answer.text)
    if (problem === undefined) return 'text' in answer ? answer.text : undefined
    this.#files.read(path)
    this.#unreadable(pointer, path, problem, 'where' in answer ? answer.where : undefined)
    return undefined
  }

  /** The path is not printed if it may be a secret that was written in place of the name of its file. */
  #unreadable(pointer: string, path: string, problem: string, where = ''): void {
    const isShown = printable(this.document, pointer, path) === JSON.stringify(path)
    this.wrongValue(pointer, isShown ? problem + where : problem, { value: path })
  }

  /** Records a problem with a field: its name or its presence. */
  problem(pointer: string, expectation: string, hint?: string): void {
    this.problems.push(problemAt(this.document, pointer, this.document.keyAt(pointer), { expectation, hint }))
  }

  /** Records a problem with a value. */
  wrongValue(pointer: string, expectation: string, { hint, value }: Words = {}): void {
    const shown = value === undefined ? undefined : printable(this.document, pointer, value)
    const place = this.document.valueAt(pointer)
    this.problems.push(problemAt(this.document, pointer, place, { expectation, hint, value: shown }))
  }

  warning(pointer: string, code: string, message: string): void {
    const path = this.document.display(pointer)
    this.warnings.push({ code, path, ...this.document.keyAt(pointer), message })
  }
}

/** A semantic check. */
export type Check = (view: ValidationContext) => void
