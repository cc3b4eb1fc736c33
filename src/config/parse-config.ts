import { createHash } from 'node:crypto'
import type { ProcessSettings } from '../model/process-settings.ts'
import type { ConfigWarning, Resources } from '../model/resources.ts'
import { readDocument } from './document.ts'
import { readVariables } from './environment.ts'
import { ConfigError } from './errors.ts'
import type { CheckCel } from './format/expression.ts'
import type { ConfigFile } from './file-types.gen.ts'
import { formatsWith } from './formats.ts'
import type { Environment } from './interpolate.ts'
import { normalize } from './normalize.ts'
import { shapeWith } from './shape.ts'

/** A configuration that passed every check. */
export interface ParsedConfig {
  readonly resources: Resources
  readonly process: ProcessSettings
  /** The same for the same resources and settings, wherever and however they were written. */
  readonly hash: string
  readonly warnings: readonly ConfigWarning[]
}

/**
 * Reads a configuration: syntax, variables, shape, meaning. Pure.
 *
 * @throws {ConfigError} with every problem that was found.
 *
 * @example
 * parseConfig('gateways: {default: {port: 3000}}', 'gateway.yaml', process.env)
 */
export function parseConfig(text: string, fileName: string, env: Environment): ParsedConfig {
  const { document, problems: broken } = readDocument(text, fileName, env)
  if (broken.length > 0) throw new ConfigError(broken)
  const { variables, problems: ofVariables } = readVariables(env)
  checkShape ??= shapeWith(formatsWith(checkCel))
  const shape = checkShape(document)
  const problems = [...ofVariables, ...shape.problems]
  if (problems.length > 0) throw new ConfigError(problems)
  const file = document.value as ConfigFile // which is what the schema says
  const { resources, process } = normalize(file, document, variables, shape.warnings)
  return { resources, process, hash: hashOf(resources, process), warnings: shape.warnings }
}

/** Compiled at the first use: the schema is large. */
let checkShape: ReturnType<typeof shapeWith> | undefined

const checkCel: CheckCel = () => undefined

function hashOf(resources: Resources, process: ProcessSettings): string {
  // Places in the file say nothing about what the gateway does.
  const json = JSON.stringify({ resources, process }, (key: string, value: unknown) =>
    key === 'origin' || key === 'warnings' ? undefined : value,
  )
  return createHash('sha256').update(json).digest('hex').slice(0, 16)
}
