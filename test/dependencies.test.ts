import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { test } from 'node:test'
import { readSource } from './support/source.ts'

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
const declared = Object.keys({
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.peerDependencies,
})

/** Package → the files in `src/` that a section of docs/dependencies.md lists. */
const listed = (section: string): ReadonlyMap<string, readonly string[]> => {
  const [, text = ''] = readFileSync('docs/dependencies.md', 'utf8').split(`\n## ${section}\n`)
  const rows = text.split('\n## ')[0]!.split('\n')
  return new Map(
    rows
      .filter((line) => line.startsWith('| `'))
      .map((line) => {
        const [, name = '', places = ''] = line.split('|')
        return [
          name.replaceAll('`', '').trim(),
          [...places.matchAll(/`(src\/[^`]+)`/g)].flatMap(([, place]) => place ?? []),
        ]
      }),
  )
}
const installed = listed('Installed with the package')
const bundled = listed('Part of the package')
const documented = new Map([...installed, ...bundled])

/** Package → the files of `src/` that import it, types included. */
const imported = new Map<string, string[]>()
/** The same without types. */
const loaded: { readonly name: string; readonly path: string }[] = []
for (const { path, imports } of globSync('src/**/*.ts').map((path) =>
  readSource(path.replaceAll('\\', '/')),
)) {
  for (const { specifier, typesOnly } of imports) {
    if (specifier.startsWith('.') || specifier.startsWith('node:')) continue
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    imported.set(name, [...(imported.get(name) ?? []), path])
    if (!typesOnly) loaded.push({ name, path })
  }
}

test('runtime dependencies', async (t) => {
  await t.test('are each listed with a reason', () => {
    assert.deepEqual([...installed.keys()].sort(), declared.toSorted())
  })

  await t.test('that are part of the package are not installed with it', () => {
    assert.deepEqual(
      [...bundled.keys()].filter((name) => !(name in manifest.devDependencies)),
      [],
    )
  })

  await t.test('that are part of the package are imported where the build puts them in', () => {
    const elsewhere = loaded.filter(
      ({ name, path }) =>
        bundled.has(name) &&
        !/^src\/(cli|controller)\//.test(path) &&
        !/^src\/(operators|protocols|sinks|upstream)\/.*-library\.ts$/.test(path),
    )
    assert.deepEqual(elsewhere, [])
  })

  await t.test('are exactly those that the sources import', () => {
    assert.deepEqual([...imported.keys()].sort(), [...documented.keys()].sort())
  })

  await t.test('are imported only by the listed files', () => {
    const elsewhere = [...imported].flatMap(([name, files]) => {
      const places = documented.get(name) ?? []
      return places.length === 0
        ? []
        : files
            .filter((file) => !places.some((place) => file.startsWith(place)))
            .map((file) => `${name}: ${file}`)
    })
    assert.deepEqual(elsewhere, [])
  })

  await t.test('use the node: prefix for built-in modules', () => {
    assert.deepEqual(
      [...imported.keys()].filter((name) => builtinModules.includes(name)),
      [],
    )
  })

  await t.test('leave rxjs to the host program as a peer', () => {
    assert.deepEqual(Object.keys(manifest.peerDependencies), ['rxjs'])
  })
})
