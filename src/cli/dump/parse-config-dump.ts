import { type DumpMembers, dumpMembers } from './json-access.ts'
import { CommandFailure } from '../command-failure.ts'

/**
 * Parses a dump: JSON as gateways write it, or YAML as `agctl -o yaml` does.
 *
 * @param from Where it comes from, for messages.
 */
export const parseConfigDump = async (text: string, from: string): Promise<DumpMembers> => {
  const value = text.trimStart().startsWith('{') ? parseJson(text, from) : await parseYaml(text, from)
  const dump = dumpMembers(value)
  if (!('binds' in dump) && !('services' in dump) && !('backends' in dump))
    throw new CommandFailure(`${from} is not a dump of a gateway's configuration`, {
      hint: 'A dump is what the admin server returns for /config_dump; a configuration file is for agctl config.',
    })
  return dump
}

const parseJson = (text: string, from: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unreadable(from, error)
  }
}

const parseYaml = async (text: string, from: string): Promise<unknown> => {
  const { parse } = await import('yaml')
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch (error) {
    throw unreadable(from, error)
  }
}

const unreadable = (from: string, error: unknown) => {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return new CommandFailure(`${from} is neither JSON nor YAML: ${reason}`, { cause: error })
}
