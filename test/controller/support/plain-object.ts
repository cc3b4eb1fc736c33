/** An object as YAML would have it. */
export interface PlainObject {
  readonly kind: string
  readonly metadata: { readonly namespace?: string; readonly name: string }
  readonly [field: string]: unknown
}

/** Metadata as the API server would have completed it. */
export const objectMeta = (name: string) => ({
  namespace: 'ns',
  name,
  uid: `uid-${name}`,
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
})

/** The same of an object that was created on a day of 2026: days order objects by age. */
export const metaOfDay = (name: string, day: number, namespace = 'ns') => ({
  ...objectMeta(name),
  namespace,
  creationTimestamp: new Date(Date.UTC(2026, 0, day)).toISOString(),
})

/** The field of this name. */
export const spec = (value: object): { readonly spec: object } => ({ spec: value })
/** The field, unless its value is undefined. */
export const optional = (name: string, value: unknown): object =>
  value === undefined ? {} : { [name]: value }
