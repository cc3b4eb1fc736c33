import type { SimpleBackendPolicies } from '../../model/policies/policy-backend.ts'
import type { Backend, Origin, TlsServer } from '../../model/resources/resources.ts'
import type { ConfigDocument } from '../document/document.ts'
import { parseDuration } from '../format/duration.ts'
import type { NamedFiles } from '../document/referenced-files.ts'
import type * as File from '../schema/file-types.gen.ts'

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
  /** How certificates are kept that an authority signs for the names that clients ask for. */
  readonly minting: NonNullable<TlsServer['minting']>
  /** Backends that were written inside of routes, in the order they were found. */
  readonly inlineBackends: Backend[]
  /** The normal form of the policies of callouts. Passed, since these policies may have callouts themselves. */
  readonly calloutPolicies: (policies: File.SimpleBackendPolicies | undefined) => SimpleBackendPolicies
}

/** Where something was written. */
export function originOf({ document }: Context, pointer: string): Origin {
  return { path: document.display(pointer), ...document.keyAt(pointer) }
}

/** The text of a file that passed the checks. */
export function fileText({ files }: Pick<Context, 'files'>, path: string): string {
  const file = files.read(path)
  if ('text' in file) return file.text
  throw new TypeError(`"${path}" ${file.problem}; the checks should have refused it`)
}

/** Milliseconds of a duration that passed the checks. */
export function milliseconds(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new TypeError(`"${text}" is not a duration; the checks should have refused it`)
  return ms
}
