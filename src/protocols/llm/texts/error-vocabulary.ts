import type { Mode } from './vocabulary.ts'

/** How a member of an error is searched, by its name: all of it may be words, but for those that programs read. */
export const modeOfError = (name: string): Mode | undefined => (forPrograms.has(name) ? undefined : 'error')

const forPrograms: ReadonlySet<string> = new Set([
  ...['type', '@type', '__type', 'code', 'status', 'param', 'object', 'domain', 'locale', 'provider_name'],
  ...['id', 'request_id', 'requestId', 'event_id', 'url'],
])
