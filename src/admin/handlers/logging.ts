import { type LogDirective, parseLogDirective } from '../../model/log/log-directive.ts'
import { logLevels } from '../../model/log/log-level.ts'
import { logModuleNames } from '../../model/log/log-modules.ts'
import { type AdminCall, type AdminEndpoint, replyQuoting, replyText } from '../endpoint.ts'
import type { LogLevelAccess, SetLogLevels } from '../log-levels.ts'
import { readReport } from '../process-report.ts'

/** Values of a flag. */
const flags = ['', 'true', 'false']

const USAGE = `
usage: POST /logging\t\t\t\t\t\t(To show the current levels)
usage: POST /logging?level=<level>\t\t\t\t(To set the default level)
usage: POST /logging?level={mod1}={level1},{mod2}={level2}\t(To set the levels of modules)

hint: loglevel:\t${[...logLevels.slice(1), 'off'].join('|')}
hint: mod_name:\t${logModuleNames.join('|')}
`

/**
 * `/logging`: the levels of the log. GET shows them, POST sets them with `level`, returns to those of the start with
 * `reset`, or shows them.
 */
export const loggingEndpoint = ({ report, command }: LogLevelAccess): AdminEndpoint => ({
  path: '/logging',
  methods: ['GET', 'HEAD', 'POST'],
  summary: 'shows the log levels; POST sets them',
  group: 'process',
  parameters: [
    { name: 'level', summary: 'a level, or module=level pairs separated by commas; POST only' },
    {
      name: 'reset',
      summary: 'back to the levels of the start, and then to level; POST only',
      values: flags,
    },
    { name: 'modules', summary: 'lists the modules with their levels', values: flags },
  ],
  usage: USAGE,
  handle: async ({ req, res, query }: AdminCall) => {
    const request = readQuery(query)
    if ('problem' in request) {
      replyQuoting(res, 400, `${request.problem}\n${USAGE}`)
      return
    }
    if (request.change && req.method !== 'POST') {
      replyText(res, 405, `the log levels are changed with POST\n${USAGE}`, { allow: 'POST' })
      return
    }
    if (request.change) await command.apply(request.change)
    const { directive, modules } = await readReport(report)
    replyText(
      res,
      200,
      request.showsModules
        ? modules.map(([name, level]) => `${name}=${level}\n`).join('')
        : `current log level is ${directive}\n`,
      { 'cache-control': 'no-store' },
    )
  },
})

type LoggingRequest =
  { readonly change: SetLogLevels | undefined; readonly showsModules: boolean } | { readonly problem: string }

const readQuery = (query: URLSearchParams): LoggingRequest => {
  const [isReset, showsModules] = [isSet(query, 'reset'), isSet(query, 'modules')]
  const level = query.get('level') ?? ''
  const directive = level === '' ? none : parseLogDirective(level)
  if ('problem' in directive)
    return {
      problem: `Invalid level provided: ${level.slice(0, SHOWN)}\n${directive.problem.slice(0, SHOWN)}`,
    }
  return { change: isReset || level !== '' ? { isReset, directive } : undefined, showsModules }
}

const none: LogDirective = { level: undefined, modules: new Map() }

/** A flag without a value is set. */
const isSet = (query: URLSearchParams, name: string): boolean =>
  query.has(name) && query.get(name) !== 'false'

/** Longer input is not repeated whole. */
const SHOWN = 300
