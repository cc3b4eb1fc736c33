import assert from 'node:assert/strict'
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { sourcePositions } from '../../../src/admin/profiling/source-positions.ts'

const source = `interface Removed {
  readonly a: number
}

export const grow = (given: Removed): number => {
  return given.a + 1
}
`

/** A folder with `dist/grow.js`, made of `src/grow.ts`, and its map. */
const compiled = (folder: string): string => {
  const { outputText, sourceMapText } = ts.transpileModule(source, {
    fileName: 'grow.ts',
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, sourceMap: true },
  })
  mkdirSync(join(folder, 'dist'))
  const script = join(folder, 'dist/grow.js')
  writeFileSync(script, outputText.replace(/sourceMappingURL=.*/, 'sourceMappingURL=grow.js.map'))
  writeFileSync(`${script}.map`, sourceMapText!.replace('"grow.ts"', '"../src/grow.ts"'))
  return script
}

suite('the position of a frame', () => {
  test('is that in the source, found by the source map beside the script', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'positions with spaces-'))
    const script = compiled(folder.path)
    const frame = { name: 'grow', script: pathToFileURL(script).href, line: 2, column: 5, startLine: 1 }
    assert.deepEqual(sourcePositions()(frame), {
      name: 'grow',
      script: join(folder.path, 'src/grow.ts'),
      line: 6,
      column: 3,
      startLine: 5,
    })
  })

  test('is that in the script without a map, or with one that cannot be read', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'positions-'))
    const position = { line: 2, column: 5, startLine: 1 }
    const inSource = sourcePositions()
    for (const [name, text] of [
      ['none.js', 'let a\n'],
      ['missing.js', 'let a\n//# sourceMappingURL=missing.js.map'],
      ['broken.js', 'let a\n//# sourceMappingURL=broken.js'],
      ['remote.js', 'let a\n//# sourceMappingURL=http://127.0.0.1:1/map'],
    ] as const) {
      const script = join(folder.path, name)
      writeFileSync(script, text)
      const frame = { name: 'a', script: pathToFileURL(script).href, ...position }
      assert.deepEqual(inSource(frame), { name: 'a', script, ...position })
    }
  })

  test('of what is no file stays as it is', () => {
    for (const script of ['node:events', '', 'wasm://wasm/00034eea', 'evalmachine.<anonymous>']) {
      const frame = { name: 'a', script, line: 2, column: 5, startLine: 1 }
      assert.deepEqual(sourcePositions()(frame), frame)
    }
  })
})
