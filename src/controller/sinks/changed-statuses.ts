import { type OperatorFunction, concatMap } from 'rxjs'
import type { StatusUpdate } from './status/write-statuses.ts'

/**
 * The statuses that differ from those before, and an update without a status for each object that has none any more.
 * Statuses that did not change are the same objects, so that nothing is compared.
 */
export const changedStatuses = (): OperatorFunction<readonly StatusUpdate[], StatusUpdate> => (statuses$) => {
  let before = new Map<string, StatusUpdate>()
  return statuses$.pipe(
    concatMap((statuses) => {
      const now = new Map(statuses.map((update) => [`${update.kind}/${update.key}`, update]))
      const changed = statuses.filter(
        ({ kind, key, status }) => before.get(`${kind}/${key}`)?.status !== status,
      )
      const gone = [...before].flatMap(([id, { kind, key }]): StatusUpdate[] =>
        now.has(id) ? [] : [{ kind, key, status: undefined }],
      )
      before = now
      return [...changed, ...gone]
    }),
  )
}
