import { createHash } from 'node:crypto'
import type { ProcessSettings } from '../model/resources/process-settings.ts'
import type { Resources } from '../model/resources/resources.ts'

/**
 * A short identifier of a configuration: equal for equal resources and settings, regardless of their
 * notation. File locations and warnings do not count.
 */
export function snapshotHash(resources: Resources, process: ProcessSettings): string {
  const json = JSON.stringify({ resources, process }, (key: string, value: unknown) =>
    key === 'origin' || key === 'warnings' ? undefined : value instanceof Set ? [...value] : value,
  )
  return createHash('sha256').update(json).digest('hex').slice(0, 16)
}
