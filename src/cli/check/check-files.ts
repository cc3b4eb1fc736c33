import { ConfigError } from '../../config/errors.ts'
import { loadConfig } from '../../config/load.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import { type EnvironmentOptions, readEnvironment } from '../configuration/environment.ts'
import { sourceOfArgument } from '../configuration/read-configuration.ts'
import { type Finding, problemFinding, warningFinding } from './finding.ts'
import { type CheckedFile, printGithub, printJson, printText } from './print-findings.ts'

/** Options of `agctl config check`. */
export interface ConfigCheckOptions extends EnvironmentOptions {
  readonly format: 'text' | 'github' | 'json'
  readonly strict?: boolean
}

/**
 * Checks files and prints what is wrong with them.
 *
 * @throws CommandFailure if a file has errors; with `strict`, also if one has warnings.
 */
export const checkFiles = async (
  files: readonly string[],
  { format, strict = false, ...options }: ConfigCheckOptions,
): Promise<void> => {
  if (files.filter((file) => file === '-').length > 1)
    throw usageFailure('standard input can be checked once')
  const env = await readEnvironment(options)
  const checked: CheckedFile[] = []
  for (const file of files) checked.push({ file, findings: await findingsOf(file, env) })
  process.stdout.write({ text: printText, github: printGithub, json: printJson }[format](checked))
  const counted = checked.flatMap(({ findings }) =>
    findings.filter(({ severity }) => strict || severity === 'error'),
  )
  if (counted.length === 0) return
  const broken = checked.filter(({ findings }) => findings.some((one) => counted.includes(one)))
  throw new CommandFailure(
    `${count(counted.length, 'problem')} in ${broken.length === 1 ? (broken[0]?.file ?? '') : count(broken.length, 'file')}`,
  )
}

/** The errors of a file, then its warnings. */
const findingsOf = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> => {
  try {
    const { name, warnings } = await loadConfig(sourceOfArgument(file), env)
    return warnings.map((warning) => warningFinding(warning, name))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const name = error.problems[0]?.file ?? file
    return [
      ...error.problems.map(problemFinding),
      ...error.warnings.map((warning) => warningFinding(warning, name)),
    ]
  }
}

const count = (number: number, noun: string): string => `${String(number)} ${noun}${number === 1 ? '' : 's'}`
