import type { ConfigWarning } from '../../model/resources/resources.ts'
import { ConfigError, type ConfigProblem, problemAt } from '../errors.ts'
import { noFiles } from '../document/referenced-files.ts'
import { overlaps } from '../document/prune-invalid.ts'
import { child } from '../document/json-pointer.ts'
import { checkShape } from '../schema-check/check-schema.ts'
import { ValidationContext } from '../validate/context.ts'
import { ownChecks } from '../validate.ts'
import { type XdsDocument, xdsDocument } from './xds-document.ts'
import type { XdsKind } from './xds-resource.ts'

/** Fields of the file that are resources of their own here, or say what parents do. */
const OWN_RESOURCES: Partial<Record<XdsKind, readonly string[]>> = {
  bind: ['listeners'],
  listener: ['routes', 'tcpRoutes', 'udpRoutes'],
  models: ['gateways', 'port', 'tls', 'providers'],
}

/** A resource that a proxy takes. */
export interface CheckedResource {
  readonly document: XdsDocument
  /** What is allowed, and hardly meant. */
  readonly warnings: readonly ConfigWarning[]
}

/**
 * Checks one resource as a configuration file would be: its form by the schema, and what concerns it alone. Whether what
 * it refers to exists is not checked: that may come later.
 *
 * @throws ConfigError with every problem.
 */
export const checkResource = (kind: XdsKind, key: string, model: unknown): CheckedResource => {
  const own = OWN_RESOURCES[kind] ?? []
  const given = typeof model === 'object' && model !== null ? Object.keys(model) : []
  const document = sentDocument(kind, key, model)
  const misplaced = own
    .filter((name) => given.includes(name))
    .map((name) =>
      problemAt(document, child(document.pointer, name), document.keyAt(''), {
        expectation: 'unknown field',
      }),
    )
  const unreachable = filesOf(document).map((pointer) =>
    problemAt(document, pointer, document.keyAt(''), {
      expectation: 'a control plane cannot name files of this machine',
    }),
  )
  const { problems, sound } = checkShape(document, [])
  const view = new ValidationContext(document, sound, noFiles, true)
  for (const check of ownChecks) check(view)
  const wrong = problems.map(({ pointer }) => pointer)
  const ofMeaning = view.problems.filter(({ pointer }) => !overlaps(pointer, wrong))
  const found: readonly ConfigProblem[] = [...misplaced, ...unreachable, ...problems, ...ofMeaning]
  if (found.length > 0) throw new ConfigError(found)
  return { document, warnings: view.warnings }
}

/** The document of a resource as it was sent. */
export const sentDocument = (kind: XdsKind, key: string, model: unknown): XdsDocument =>
  xdsDocument(kind, key, complete(kind, model))

/** Files that an attached access log would write. */
const filesOf = ({ pointer, value }: XdsDocument): readonly string[] =>
  [['file'], ['payloads', 'file']].flatMap((names) => {
    const path = ['policy', 'frontend', 'accessLog', ...names]
    const of = [...pointer.split('/').slice(1), ...path].reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[name] : undefined,
      value,
    )
    return of === undefined ? [] : [path.reduce(child, pointer)]
  })

/** The file demands listeners of a bind. */
const complete = (kind: XdsKind, model: unknown): unknown =>
  kind === 'bind' && typeof model === 'object' && model !== null ? { ...model, listeners: [] } : model
