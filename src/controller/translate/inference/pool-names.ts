import type { TranslationSettings } from '../../kinds/inputs.ts'

/** An InferencePool as a service in the notation of configuration files, by its key. */
export const poolNames = (
  key: string,
  { clusterDomain }: TranslationSettings,
): { readonly namespace: string; readonly name: string; readonly hostname: string } => {
  const [namespace = '', name = ''] = key.split('/')
  return { namespace, name, hostname: `${name}.${namespace}.inference.${clusterDomain}` }
}

/** `namespace/hostname`: the key of the service that an InferencePool becomes. */
export const poolResourceKey = (key: string, settings: TranslationSettings): string => {
  const { namespace, hostname } = poolNames(key, settings)
  return `${namespace}/${hostname}`
}

/** The host name of what stands for a picker that is not there: of no pool, and of no Service, whatever their names are. */
export const absentPickerHostname = (key: string, settings: TranslationSettings): string => {
  const { namespace, name } = poolNames(key, settings)
  return `${name}.${namespace}.absent-picker.${settings.clusterDomain}`
}
