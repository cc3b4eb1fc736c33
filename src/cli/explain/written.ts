import type { Origin } from '../../model/resources/origin.ts'
import type { Written } from './explanation.ts'

/** The location of a resource or policy, with the level of the configuration that it belongs to. */
export const writtenAt = ({ path, line, column }: Origin): Written => ({
  level: levelOf(path),
  path,
  line,
  column,
})

const levelOf = (path: string): string =>
  levels.find(([pattern]) => pattern.test(path))?.[1] ?? 'configuration'

/** The innermost part of a path decides. */
const levels: readonly (readonly [RegExp, string])[] = [
  [/^(?:routes|binds|routeGroups)\b.*\.backends\[\d+\](?:\.|$)/, 'backend'],
  [/^backends\[/, 'backend'],
  [/^routes\[|\.routes\[/, 'route'],
  [/^(?:tcp|udp)Routes\[|\.(?:tcp|udp)Routes\[/, 'route'],
  [/\.listeners\[/, 'listener'],
  [/^gateways\b/, 'gateway'],
  [/^policies\[/, 'attached policy'],
  [/^llm\b/, 'llm'],
  [/^mcp\b/, 'mcp'],
]
