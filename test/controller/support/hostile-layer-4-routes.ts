import type { HostileChoices } from './hostile-choices.ts'
import { reference } from './hostile-routes.ts'
import { hostname } from './hostile-values.ts'
import { objectMeta, optional, type PlainObject, spec } from './plain-object.ts'

/** A TLSRoute, a TCPRoute or a UDPRoute. */
export const layer4Route = (
  kind: 'TLSRoute' | 'TCPRoute' | 'UDPRoute',
  name: string,
  choices: HostileChoices,
): PlainObject => {
  const { pick, some, maybe } = choices
  const rule = (): object => ({
    ...optional('name', pick(undefined, 'a', '', 'x'.repeat(253))),
    ...optional(
      'backendRefs',
      maybe(() =>
        some(3, () => ({
          ...reference(choices),
          ...optional('weight', pick(undefined, 0, 1, 1_000_000, 1_000_001, -1)),
        })),
      ),
    ),
  })
  return {
    kind,
    metadata: objectMeta(name),
    ...spec({
      parentRefs: [{ name: 'gateway' }],
      ...optional(
        'hostnames',
        maybe(() => some(3, () => hostname(choices))),
      ),
      rules: [rule()],
    }),
  }
}
