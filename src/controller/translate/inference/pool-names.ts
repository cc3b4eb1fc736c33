import { createHash } from 'node:crypto'
import type { TranslationSettings } from '../../kinds/inputs.ts'

/** An InferencePool as a service in the notation of configuration files, by its key. */
export const poolNames = (
  key: string,
  settings: TranslationSettings,
): { readonly namespace: string; readonly name: string; readonly hostname: string } => {
  const [namespace = '', name = ''] = key.split('/')
  return { namespace, name, hostname: hostnameOf(key, 'inference', settings) }
}

/** `namespace/hostname`: the key of the service that an InferencePool becomes. */
export const poolResourceKey = (key: string, settings: TranslationSettings): string => {
  const { namespace, hostname } = poolNames(key, settings)
  return `${namespace}/${hostname}`
}

/** The host name of what stands for a picker that is not there: of no pool, and of no Service, whatever their names are. */
export const absentPickerHostname = (key: string, settings: TranslationSettings): string =>
  hostnameOf(key, 'absent-picker', settings)

/** Names of pools may be longer than host names: proxies would refuse these, and all else that the Gateway has. */
const hostnameOf = (key: string, base: string, { clusterDomain }: TranslationSettings): string => {
  const [namespace = '', name = ''] = key.split('/')
  const hostname = `${name}.${namespace}.${base}.${clusterDomain}`
  if (hostname.length <= 253 && name.split('.').every((label) => label.length <= 63)) return hostname
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 40)
  // Another base: no name that is short enough leads to the same.
  return `${hash}.${namespace}.hashed-${base}.${clusterDomain}`
}
