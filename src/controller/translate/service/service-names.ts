import type { TranslationSettings } from '../../kinds/inputs.ts'

/** A Service in the notation of configuration files, by its key. */
export const serviceNames = (
  key: string,
  { clusterDomain }: TranslationSettings,
): { readonly namespace: string; readonly name: string; readonly hostname: string } => {
  const [namespace = '', name = ''] = key.split('/')
  return { namespace, name, hostname: `${name}.${namespace}.svc.${clusterDomain}` }
}

/** `namespace/hostname`: the key of the resource of a Service, to which workloads and routes refer. */
export const serviceResourceKey = (key: string, settings: TranslationSettings): string => {
  const { namespace, hostname } = serviceNames(key, settings)
  return `${namespace}/${hostname}`
}
