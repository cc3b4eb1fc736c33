import { host } from '../../config/format/address.ts'
import { levelNamed, type LogLevel } from '../../model/log/log-level.ts'
import type { XdsMode } from './controller-settings.ts'

/** What a text of a variable means, or what it must be. */
export type ParseSetting<T> = (text: string) => { readonly value: T } | { readonly expected: string }

/** One of several words, in any case. */
const word =
  <T>(words: Readonly<Record<string, T>>, expected: string): ParseSetting<T> =>
  (text) => {
    const name = text.toLowerCase()
    return Object.hasOwn(words, name) ? { value: words[name] as T } : { expected }
  }

/** A text that the API server accepts where it will be written. */
const matching =
  (pattern: RegExp, maxLength: number, expected: string): ParseSetting<string> =>
  (text) =>
    pattern.test(text) && text.length <= maxLength ? { value: text } : { expected }

/** `true` or `false`. */
export const flagSetting = word({ true: true, '1': true, false: false, '0': false }, 'true or false')

/** The mode of xDS. */
export const xdsModeSetting = word<XdsMode>(
  { plaintext: 'plaintext', false: 'plaintext', tls: 'tls', true: 'tls', either: 'either' },
  'plaintext, tls or either',
)

/** Which references to backends of other namespaces need a grant. */
export const grantModeSetting = word(
  { route: 'route', 'route-and-policy': 'route-and-policy', none: 'none' } as const,
  'route, route-and-policy or none',
)

/** The `imagePullPolicy` of pods; empty for none. */
export const pullPolicySetting: ParseSetting<string | undefined> = (text) => {
  if (text === '') return { value: undefined }
  return ['Always', 'IfNotPresent', 'Never'].includes(text)
    ? { value: text }
    : { expected: 'Always, IfNotPresent or Never' }
}

/** A port; 0 where that has a meaning. */
export const portSetting: ParseSetting<number> = (text) => {
  const value = Number(text)
  return /^\d{1,5}$/.test(text) && value <= 65_535 ? { value } : { expected: 'a port' }
}

/** Host names and addresses, separated by commas. */
export const hostsSetting: ParseSetting<readonly string[]> = (text) => {
  const value = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  return value.every((entry) => host(entry) === undefined)
    ? { value }
    : { expected: 'host names or IP addresses, separated by commas' }
}

/** A host name or an address; empty for none. */
export const hostSetting: ParseSetting<string | undefined> = (text) => {
  if (text === '') return { value: undefined }
  return host(text) === undefined ? { value: text } : { expected: 'a host name or an IP address' }
}

/** A log level. */
export const logLevelSetting: ParseSetting<LogLevel> = (text) => {
  const value = levelNamed(text.toLowerCase())
  return value === undefined ? { expected: 'trace, debug, info, warn or error' } : { value }
}

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'

/** The name of an object, or a domain. */
export const nameSetting = matching(
  new RegExp(`^${LABEL}(?:\\.${LABEL})*$`),
  253,
  'a name of lower-case letters, digits, "-" and "."',
)

/** The name of a controller, which is a field manager as well. */
export const controllerNameSetting = matching(
  new RegExp(`^${LABEL}(?:\\.${LABEL})*/[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+$`),
  128,
  'a domain and a path, such as example.com/gateway',
)
