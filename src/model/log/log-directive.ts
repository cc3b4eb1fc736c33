import { levelNamed, logLevels, type LogLevel } from './log-level.ts'
import { isLogModule, type LogModule, logModuleNames } from './log-modules.ts'

/** Levels to set: the default level, if any, and those of modules. */
export interface LogDirective {
  readonly level: LogLevel | undefined
  readonly modules: ReadonlyMap<LogModule, LogLevel>
}

/** Why a directive is invalid. */
export interface InvalidDirective {
  readonly problem: string
}

/** Longer ones are refused: with every module, a directive has about 200 characters. */
const MAX_LENGTH = 1_024

/**
 * Parses a directive such as `info,upstream=debug,mcp=trace`. A module may also be separated from its level by a colon.
 * Modules and levels are in lower case, and each may be given once.
 *
 * @example
 * parseLogDirective('info,mcp:trace') // { level: 'info', modules: Map { 'mcp' => 'trace' } }
 * parseLogDirective('mpc=trace') // { problem: 'unknown module: mpc; known are gateway, http, …' }
 */
export const parseLogDirective = (text: string): LogDirective | InvalidDirective => {
  if (text.length > MAX_LENGTH) return { problem: `longer than ${MAX_LENGTH} characters` }
  let level: LogLevel | undefined
  const modules = new Map<LogModule, LogLevel>()
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [name, levelName] = partsOf(entry)
    const found = levelNamed(levelName)
    if (name !== undefined && !isLogModule(name))
      return { problem: `unknown module: ${name}; known are ${logModuleNames.join(', ')}` }
    if (!found) return { problem: `unknown level: ${levelName}; known are ${logLevels.join(', ')}` }
    if (name === undefined ? level !== undefined : modules.has(name))
      return { problem: name === undefined ? 'several default levels' : `module given twice: ${name}` }
    if (name === undefined) level = found
    else modules.set(name, found)
  }
  return { level, modules }
}

const partsOf = (entry: string): readonly [module: string | undefined, level: string] => {
  const equals = entry.indexOf('=')
  const at = equals < 0 ? entry.indexOf(':') : equals
  return at < 0 ? [undefined, entry] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
}
