import type { GraphReads } from '../../graph/query.ts'

/** Whether ProxyModels are switched on. */
export const hasModels = ({ settings }: GraphReads): boolean => (settings.features ?? []).includes('models')
