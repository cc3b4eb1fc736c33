import type { DumpMembers } from './json-access.ts'
import { readConfigDump } from './read-config-dump.ts'
import type { BackendRow } from './rows/backend-rows.ts'
import { type ConfigView, configViews } from './views.ts'
import { usageFailure } from '../command-failure.ts'
import type { GatewaySelection } from '../gateway/gateway-options.ts'
import { formatData, type OutputFormat, parseOutputFormat } from '../output/print-data.ts'

/** Options of `agctl proxy config …`. */
export interface ShowConfigOptions extends GatewaySelection {
  readonly file?: string
  readonly output: string
  /** Backends without requests too. */
  readonly all?: boolean
}

/**
 * `agctl proxy config …`: prints a part of the configuration that is in force.
 *
 * @param part The name of a view, or `all`.
 */
export const showConfig = async (
  part: string,
  options: ShowConfigOptions,
  args: readonly string[],
): Promise<void> => {
  const format = parseOutputFormat(options.output, part === 'all' ? 'json' : 'table')
  const [resource] = args
  if (args.length > 1) throw usageFailure(`accepts at most 1 arg(s), received ${String(args.length)}`)
  const dump = await readConfigDump(options, resource)
  const found = configViews[part]
  process.stdout.write(
    await (found ? formatView(part, found, dump, format, options.all ?? false) : formatAll(dump, format)),
  )
}

const formatAll = async (dump: DumpMembers, format: OutputFormat): Promise<string> => {
  if (format === 'json' || format === 'yaml') return formatData(dump, format)
  const parts = Object.entries(configViews).map(([name, { rows, table }]) => {
    const list = rows(dump)
    return list.length === 0 ? '' : `${name}\n${table(list, format === 'wide')}`
  })
  return parts.filter((part) => part !== '').join('\n')
}

const formatView = async (
  part: string,
  { rows, table }: ConfigView,
  dump: DumpMembers,
  format: OutputFormat,
  withUnused: boolean,
): Promise<string> => {
  const list = rows(dump)
  const shown = part === 'backends' && !withUnused ? (list as readonly BackendRow[]).filter(isUsed) : list
  if (format !== 'table' && format !== 'wide') return formatData(shown, format)
  const hidden = list.length - shown.length
  if (hidden > 0) process.stderr.write(`${String(hidden)} without requests not shown; --all shows them\n`)
  return table(shown, format === 'wide')
}

/** An endpoint whose requests are not counted may be in use. */
const isUsed = ({ requests }: BackendRow): boolean => requests !== 0
