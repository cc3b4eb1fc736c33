import type { HostileChoices } from './hostile-choices.ts'

/** A copy of a value in which one part, somewhere, is what no schema lets in. */
export const mutated = (value: unknown, choices: HostileChoices): unknown => {
  const { pick } = choices
  const entries: readonly (readonly [string, unknown])[] =
    typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0 || pick(0, 1, 2, 3) === 0) return hostileValue(choices)
  const [name, inner] = pick(...entries)
  const replaced = mutated(inner, choices)
  if (Array.isArray(value)) {
    // Maps of lists may have a key twice.
    const items = value.map((item: unknown, index) => (String(index) === name ? replaced : item))
    return pick(items, items, [...items, ...items], [...items, inner])
  }
  const others = entries.filter(([other]) => other !== name)
  const renamed = pick(name, name, name, name, ...PROTOTYPE_NAMES)
  return JSON.parse(objectText([...others, [renamed, replaced]])) as unknown
}

/** With whatever names, `__proto__` included, as a JSON parser makes it. */
const objectText = (entries: readonly (readonly [string, unknown])[]): string =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`

const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

const hostileValue = ({ pick }: HostileChoices): unknown =>
  pick<() => unknown>(
    () => null,
    () => 5,
    () => -1,
    () => 2 ** 53,
    () => 1e308,
    () => true,
    () => '',
    () => [],
    () => ({}),
    () => [null],
    () => [[]],
    () => pick(...PROTOTYPE_NAMES),
    () =>
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as unknown,
    () => '\ud800',
    () => '\u0000\u202e\ufeff',
    () => '../../shop/web',
    () => 'shop/web',
    () => 'a b:c,d/e',
    () => 'x'.repeat(1_000_000),
    () => '99999999999999999999h',
    () => '9'.repeat(400),
    () => nested(2_000, (inner) => ({ a: inner })),
    () => nested(2_000, (inner) => [inner]),
    () => '('.repeat(16_384),
    () => `${'!'.repeat(8_000)}true`,
    () => Array.from({ length: 2_000 }, () => 'a == b').join(' || '),
    () => '[1, 2, 3].map(a, [1, 2, 3].map(b, [1, 2, 3].map(c, a * b * c)))',
    () => Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}` })),
    () => Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, 'x'])),
  )()

const nested = (depth: number, around: (inner: unknown) => unknown): unknown => {
  let value: unknown = 'end'
  for (let at = 0; at < depth; at++) value = around(value)
  return value
}
