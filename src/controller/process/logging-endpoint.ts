import { type AdminEndpoint, replyQuoting, replyText } from '../../admin/endpoint.ts'
import { levelNamed, type LogLevel } from '../../model/log/log-level.ts'
import { type Component, type ComponentLevels, componentNames, isComponent } from './component-levels.ts'

/**
 * `/logging` of the control plane: without parameters it lists the level of each component, `level=L` sets all of them,
 * and `component=L` one.
 */
export const controllerLoggingEndpoint = (levels: ComponentLevels): AdminEndpoint => ({
  path: '/logging',
  methods: ['POST', 'PUT'],
  summary: 'shows or sets the log levels of the components',
  parameters: [
    { name: 'level', summary: 'the level of all components' },
    ...componentNames.map((name) => ({ name, summary: 'the level of this component' })),
  ],
  handle: ({ res, query }) => {
    const request = readLevels(query)
    if (typeof request === 'string') {
      replyQuoting(res, 400, `${request}\n`)
      return
    }
    if (request.size > 0) levels.set(request)
    const all = query.get('level')
    const lines =
      request.size === 0
        ? ['current log levels:', '---', ...levels.components.map(([name, level]) => `${name}: ${level}`)]
        : all === null
          ? [...request].map(([name, level]) => `component ${name} log level set to: ${level}`)
          : [`all logger levels updated to level: ${all.toLowerCase()}`]
    replyText(res, 200, `${lines.join('\n')}\n`, { 'cache-control': 'no-store' })
  },
})

/** The levels that a query sets, or what is wrong with it. */
const readLevels = (query: URLSearchParams): ReadonlyMap<Component, LogLevel> | string => {
  const set = new Map<Component, LogLevel>()
  for (const [name, text] of query) {
    const level = levelNamed(text.toLowerCase())
    if (level === undefined) return `${JSON.stringify(text)} is no log level`
    if (name === 'level') for (const component of componentNames) set.set(component, level)
    else if (isComponent(name)) set.set(name, level)
    else return `there is no component ${JSON.stringify(name)}`
  }
  return set
}
