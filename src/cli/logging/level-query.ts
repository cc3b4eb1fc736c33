import { usageFailure } from '../command-failure.ts'

/** Options of the commands about log levels. */
export interface LevelOptions {
  readonly level?: string
  /** Each `name=level`, or several with commas. */
  readonly set?: readonly string[]
}

/** The levels of a gateway. */
export const proxyLevels = ['error', 'warn', 'info', 'debug', 'trace', 'off']
/** The levels of the controller. */
export const controllerLevels = ['error', 'warn', 'info', 'debug', 'trace']

/** The changes in the options: a level for all, levels by name, or none. */
export const readLevels = (
  { level, set = [] }: LevelOptions,
  levels: readonly string[],
  kind: 'module' | 'component',
): { readonly level?: string; readonly byName: readonly (readonly [name: string, level: string])[] } => {
  const settings = set.flatMap((text) => text.split(','))
  if (level !== undefined && settings.length > 0)
    throw usageFailure('--level and --set are mutually exclusive')
  if (level !== undefined && !levels.includes(level)) throw usageFailure(unknownLevel(level, levels))
  const byName = settings.map((text) => {
    const [, name, value] = /^\s*([^=]*[^=\s])\s*=\s*([^=\s]+)\s*$/.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw usageFailure(`invalid --set value "${text}": expected ${kind}=level`)
    if (!levels.includes(value)) throw usageFailure(`--set ${name}: ${unknownLevel(value, levels)}`)
    return [name, value] as const
  })
  return { ...(level !== undefined && { level }), byName }
}

const unknownLevel = (level: string, levels: readonly string[]) =>
  `unknown level "${level}"; must be one of ${levels.join(', ')}`
