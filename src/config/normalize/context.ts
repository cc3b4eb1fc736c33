import type { Backend, Origin } from '../../model/resources.ts'
import type { ConfigDocument } from '../document.ts'
import { parseDuration } from '../format/duration.ts'
import type { NamedFiles } from '../named-files.ts'

/** What the parts of the normalisation share. */
export interface Context {
  readonly document: ConfigDocument
  /** Files that policies name; the checks have read them, so that they are there. */
  readonly files: NamedFiles
  /** The address that stands for all. */
  readonly anyAddress: '::' | '0.0.0.0'
  /** Longest body where a policy names no limit of its own. */
  readonly maxBufferBytes: number
  /** Whether runs of slashes in paths count as one. */
  readonly mergeSlashes: boolean
  /** Backends that were written inside of routes, in the order they were found. */
  readonly inlineBackends: Backend[]
}

/** Where something was written. */
export function originOf({ document }: Context, pointer: string): Origin {
  return { path: document.display(pointer), ...document.keyAt(pointer) }
}

/** The text of a file that passed the checks. */
export function fileText({ files }: Pick<Context, 'files'>, path: string): string {
  const answer = files.read(path)
  if ('text' in answer) return answer.text
  throw new TypeError(`"${path}" ${answer.problem}; the checks should have refused it`)
}

/** Milliseconds of a duration that passed the checks. */
export function milliseconds(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new TypeError(`"${text}" is not a duration; the checks should have refused it`)
  return ms
}
