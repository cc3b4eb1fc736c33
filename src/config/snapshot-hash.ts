import { createHash } from 'node:crypto'
import type { ProcessSettings } from '../model/process-settings.ts'
import type { Resources } from '../model/resources.ts'

/**
 * A short name for what a gateway does: the same for the same resources and settings, wherever and however they were
 * written. Places in the file and warnings do not count.
 */
export function snapshotHash(resources: Resources, process: ProcessSettings): string {
  const json = JSON.stringify({ resources, process }, (key: string, value: unknown) =>
    key === 'origin' || key === 'warnings' ? undefined : value instanceof Set ? [...value] : value,
  )
  return createHash('sha256').update(json).digest('hex').slice(0, 16)
}
