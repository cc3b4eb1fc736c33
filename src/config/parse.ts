import type { ProcessSettings } from '../model/process-settings.ts'
import type { ConfigWarning, Resources } from '../model/resources.ts'
import { readDocument } from './document.ts'
import { dropEmptySections } from './empty-sections.ts'
import { readVariables } from './environment.ts'
import { ConfigError } from './errors.ts'
import type { ConfigFile } from './file-types.gen.ts'
import type { Environment } from './interpolate.ts'
import { noFiles } from './named-files.ts'
import type { NamedFiles } from './named-files.ts'
import { normalize } from './normalize.ts'
import { compileShape } from './shape.ts'
import { snapshotHash } from './snapshot-hash.ts'
import { validate } from './validate.ts'

/** A configuration that passed every check. */
export interface ParsedConfig {
  readonly resources: Resources
  readonly process: ProcessSettings
  /** The same for the same resources and settings, wherever and however they were written. */
  readonly hash: string
  readonly warnings: readonly ConfigWarning[]
  /** Values of environment variables that are named like credentials; to be shown nowhere. */
  readonly secrets: readonly string[]
}

/**
 * Reads a configuration: syntax, variables, shape, meaning. Pure, but for what `files` does.
 *
 * @param files gives the texts of files that policies name
 * @throws {ConfigError} with every problem that was found. Broken syntax hides what it breaks; all else is reported at
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
): ParsedConfig {
  const { document, problems: ofText, broken } = readDocument(text, fileName, env)
  if (document.value === undefined) throw new ConfigError(ofText)
  const { variables, problems: ofVariables } = readVariables(env)
  const emptied = dropEmptySections(document)
  checkShape ??= compileShape()
  const shape = checkShape(document, broken)
  const wrong = [...broken, ...shape.problems.map(({ pointer }) => pointer)]
  const meaning = validate(document, shape.sound, variables, wrong, files)
  const problems = [...ofText, ...ofVariables, ...shape.problems, ...meaning.problems]
  if (problems.length > 0) throw new ConfigError(problems)
  const warnings = [...emptied, ...shape.warnings, ...meaning.warnings].sort(byPlace)
  const file = document.value as ConfigFile // which is what the schema says
  const { resources, process } = normalize(file, document, variables, warnings, files)
  return { resources, process, hash: snapshotHash(resources, process), warnings, secrets: document.secrets }
}

/** Compiled at the first use: the schema is large. */
let checkShape: ReturnType<typeof compileShape> | undefined

function byPlace(a: ConfigWarning, b: ConfigWarning): number {
  return a.line - b.line || a.column - b.column
}
