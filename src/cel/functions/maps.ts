import { entriesOf, Flattened } from '../values/values.ts'
import { type FunctionGroup, overloads } from './function.ts'

/** Functions on maps. */
export const maps: FunctionGroup = {
  title: 'Maps and fields',
  functions: [
    {
      usage: 'map.merge(other)',
      description: 'The entries of both; `other` wins.',
      overloads: {
        'map.merge(map): map': (map: unknown, other: unknown) =>
          new Map([...entriesOf(map), ...entriesOf(other)]),
      },
    },
    {
      usage: 'flatten(x)',
      description: 'Where log or trace fields are added: each member becomes a field.',
      overloads: { 'flatten(dyn): dyn': (value: unknown) => new Flattened(value, false) },
    },
    {
      usage: 'flattenRecursive(x), flatten_recursive(x)',
      description: 'The same, for members of members too.',
      overloads: overloads(
        ['flattenRecursive(dyn): dyn', 'flatten_recursive(dyn): dyn'],
        (value: unknown) => new Flattened(value, true),
      ),
    },
  ],
}
