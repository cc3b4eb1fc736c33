import type { SimpleBackendPolicies } from '../../model/policies/policy-backend.ts'
import type { Backend } from '../../model/resources/resources.ts'
import type { Origin } from '../../model/resources/origin.ts'
import type { TlsServer } from '../../model/resources/tls-server.ts'
import type { OtelVariables } from '../otel-variables.ts'
import type { ConfigDocument } from '../document/document.ts'
import { parseDuration } from '../format/duration.ts'
import type { NamedFiles } from '../document/referenced-files.ts'
import type * as File from '../schema/file-types.gen.ts'

/** Receives the normal form of every policy, with the part of the document that has it as a field. */
export interface OriginRecorder {
  record(document: ConfigDocument, container: object, name: string, policy: unknown): void
}

/** Shared context of normalization. */
export interface Context {
  readonly document: ConfigDocument
  /** Files that policies refer to. Validation has read them already. */
  readonly files: NamedFiles
  /** The wildcard address. */
  readonly anyAddress: '::' | '0.0.0.0'
  /** Whether repeated slashes in paths are merged. */
  readonly mergeSlashes: boolean
  /** Variables of the process about traces and exported logs. */
  readonly otel: OtelVariables
  /** Cache settings of certificates that an authority issues for requested server names. */
  readonly minting: NonNullable<TlsServer['minting']>
  /** Receives the location of every policy; absent where nobody asks. */
  readonly origins?: OriginRecorder | undefined
  /** Backends written inside routes, in order of appearance. */
  readonly inlineBackends: Backend[]
  /** Normalizes the policies of callouts. A parameter, since these policies may have callouts themselves. */
  readonly calloutPolicies: (policies: File.SimpleBackendPolicies | undefined) => SimpleBackendPolicies
}

/** The settings of a file that its resources share, as do those that a control plane sends. */
export type SharedSettings = Pick<Context, 'anyAddress' | 'mergeSlashes' | 'minting' | 'otel'>

/** The location of a value in the file. */
export function originOf({ document }: Context, pointer: string): Origin {
  return { path: document.display(pointer), ...document.keyAt(pointer) }
}

/** The text of a validated file. */
export function fileText({ files }: Pick<Context, 'files'>, path: string): string {
  const file = files.read(path)
  if ('text' in file) return file.text
  throw new TypeError(`"${path}" ${file.problem}; the checks should have refused it`)
}

/** Milliseconds of a validated duration. */
export function milliseconds(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new TypeError(`"${text}" is not a duration; the checks should have refused it`)
  return ms
}

/** The same for a timer: Node fires those of more than 24 days at once. */
export function timerMilliseconds(text: string): number {
  return Math.min(milliseconds(text), LONGEST_TIMER_MS)
}

const LONGEST_TIMER_MS = 2 ** 31 - 1
