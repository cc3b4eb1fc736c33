import type { MergedParameters } from '../parameters/merge-parameters.ts'
import { deploymentName } from './names.ts'

/** A ConfigMap with catalogs of models. */
export interface MountedCatalog {
  readonly configMap: string
  readonly volume: string
  readonly mountPath: string
  readonly items: readonly { readonly key: string; readonly path: string }[]
}

/** The catalogs of proxies, a volume for each ConfigMap. */
export const modelCatalogs = ({ modelCatalog }: MergedParameters): readonly MountedCatalog[] => {
  const sources = (modelCatalog?.sources ?? []).flatMap(({ configMap }) => (configMap ? [configMap] : []))
  return [...new Set(sources.map(({ name }) => name))].map((configMap) => {
    const keys = new Set(sources.filter(({ name }) => name === configMap).map(({ key }) => keyOf(key)))
    return {
      configMap,
      // A name of a volume is a label; that of a ConfigMap need not be one.
      volume: deploymentName(`model-catalog-${configMap}`),
      mountPath: `/etc/agentgateway/model-catalog/${configMap}`,
      items: [...keys].map((key, index) => ({
        key,
        path: index === 0 ? `${configMap}.json` : `${configMap}-${String(index + 1)}.json`,
      })),
    }
  })
}

const keyOf = (key: string | undefined): string => (key === undefined || key === '' ? 'catalog.json' : key)
