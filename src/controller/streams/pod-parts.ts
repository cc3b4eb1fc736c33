import { jsonObjectOr } from '../../protocols/json/json-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** What is kept of a pod, of which a cluster may have a hundred thousand: a few hundred bytes of ten thousand. */
export const podParts = (pod: unknown): Fields => {
  const { spec, status } = jsonObjectOr(pod)
  const { podIP, conditions } = jsonObjectOr(status)
  const list: readonly unknown[] = Array.isArray(conditions) ? conditions : []
  const ready = list.map(jsonObjectOr).filter(({ type }) => type === 'Ready')
  return {
    spec: picked(jsonObjectOr(spec), ['nodeName']),
    status: {
      ...(podIP === undefined ? {} : { podIP }),
      conditions: ready.map((condition) => picked(condition, ['type', 'status'])),
    },
  }
}

/** The metadata of a pod, apart from its labels. */
export const podMetadata = (metadata: Fields): Fields =>
  picked(metadata, ['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'])

const picked = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])))
