import { createHash } from 'node:crypto'
import type { ProcessSettings } from '../model/resources/process-settings.ts'
import type { ConfigWarning, Resources } from '../model/resources/resources.ts'
import { readDocument } from './document/read-document.ts'
import { dropEmptySections } from './document/drop-empty-sections.ts'
import { dropExplicitNulls } from './document/explicit-nulls.ts'
import { readVariables } from './environment-variables.ts'
import { ConfigError } from './errors.ts'
import type { ConfigFile } from './schema/file-types.gen.ts'
import type { Environment } from './document/interpolate.ts'
import { type NamedFiles, noFiles } from './document/referenced-files.ts'
import { normalize } from './normalize.ts'
import type { OriginRecorder, SharedSettings } from './normalize/context.ts'
import { schema } from './schema/root.ts'
import { checkShape } from './schema-check/check-schema.ts'
import { validate } from './validate.ts'

/** A configuration that passed every check. */
export interface ParsedConfig {
  readonly resources: Resources
  readonly process: ProcessSettings
  /** What resources of a control plane are normalized with. */
  readonly shared: SharedSettings
  /** Equal for equal resources and settings, regardless of their notation. */
  readonly hash: string
  readonly warnings: readonly ConfigWarning[]
  /** Values of environment variables that are named like credentials; they must not be shown. */
  readonly secrets: readonly string[]
}

/**
 * Reads a configuration: syntax, variables, shape, meaning. Pure, except for reading `files`.
 *
 * @param files Reads the files that policies refer to.
 * @param origins Receives the location of every policy.
 * @throws {ConfigError} with every problem. Syntax errors hide problems of the values they break; all others are reported at
 *   once.
 *
 * @example
 * parseConfig('gateways: {default: {port: 3000}}', 'gateway.yaml', process.env)
 */
export function parseConfig(
  text: string,
  fileName: string,
  env: Environment,
  files: NamedFiles = noFiles,
  origins?: OriginRecorder,
): ParsedConfig {
  const { document, problems: ofText, broken } = readDocument(text, fileName, env)
  if (document.value === undefined) throw new ConfigError(ofText)
  const { variables, problems: ofVariables } = readVariables(env)
  dropExplicitNulls(document, schema)
  const emptied = dropEmptySections(document)
  const shape = checkShape(document, broken)
  const wrong = [...broken, ...shape.problems.map(({ pointer }) => pointer)]
  const meaning = validate(document, shape.sound, variables, wrong, files)
  const problems = [...ofText, ...ofVariables, ...shape.problems, ...meaning.problems]
  const warnings = [...emptied, ...shape.warnings, ...meaning.warnings].sort(byLocation)
  if (problems.length > 0) throw new ConfigError(problems, { warnings })
  const file = document.value as ConfigFile // guaranteed by the schema
  const { resources, process, shared } = normalize(file, document, variables, warnings, files, origins)
  return {
    resources,
    process,
    shared,
    hash: snapshotHash(resources, process),
    warnings,
    secrets: document.secrets,
  }
}

function byLocation(a: ConfigWarning, b: ConfigWarning): number {
  return a.line - b.line || a.column - b.column
}

/**
 * A short identifier of a configuration: equal for equal resources and settings, regardless of their
 * notation. File locations and warnings do not count.
 */
function snapshotHash(resources: Resources, process: ProcessSettings): string {
  const json = JSON.stringify({ resources, process }, (key: string, value: unknown) =>
    key === 'origin' || key === 'warnings' ? undefined : value instanceof Set ? [...value] : value,
  )
  return createHash('sha256').update(json).digest('hex').slice(0, 16)
}
