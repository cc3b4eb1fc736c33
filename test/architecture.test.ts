import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, posix } from 'node:path'
import { test } from 'node:test'
import { readHouse, roomOf } from './support/architecture-table.ts'
import { importCircles } from './support/import-circles.ts'
import { type Import, readSource, type Source } from './support/source.ts'

const plan = readFileSync('ARCHITECTURE.md', 'utf8')
const house = readHouse(plan)
const sources = globSync('src/**/*.ts').map((path) => readSource(path.replaceAll('\\', '/')))
const written = sources.filter(({ path }) => !path.endsWith('.gen.ts'))

/** Modules for input and output. */
const doors =
  /^(node:(fs|fs\/promises|net|tls|http|https|http2|dgram|dns|dns\/promises|child_process|worker_threads|cluster|inspector|inspector\/promises)|undici|ws)$/
/** The built-in modules that folders of pure functions may import. */
const pure = [
  'isIP',
  'isIPv4',
  'isIPv6',
  'BlockList',
  'SocketAddress',
  'STATUS_CODES',
  'METHODS',
  'constants',
  'getCiphers',
]
/** Folders that may create and end observables. */
const edges =
  /^src\/(command\.ts|daemon\.ts|create-gateway\.ts|telemetry\/|streams\/|sinks\/|pipeline\/|admin\/|cli\/|trace\/|testing\/|controller\/(api\/|streams\/|sinks\/|[^/]+\.ts$)|operators\/(backend|llm|mcp|retry)(\/|\.ts))/
const vague = /(^|[/-])(utils?|helpers?|common|managers?)([/.-]|$)/

const isRelative = ({ specifier }: Import) => specifier.startsWith('.')
const reachesOut = ({ specifier, typesOnly, names }: Import) =>
  doors.test(specifier) && !typesOnly && (names.length === 0 || names.some((name) => !pure.includes(name)))

/** Imports of a file that its row of the table does not allow. */
const trespasses = ({ path, imports }: Source): string[] => {
  const inSrc = path.slice('src/'.length)
  const room = roomOf(house, inSrc)
  if (!room) return [`${path} is in no room of the table`]
  return imports.flatMap((imported) => {
    const { specifier, typesOnly } = imported
    if (isRelative(imported)) {
      const target = posix.join(dirname(inSrc), specifier)
      const there = roomOf(house, target)?.name ?? ''
      // Every folder may name the normal form of a policy: it is data.
      const isNormalForm = there === '*:schema' && imported.typesOnly
      const allowed =
        isNormalForm ||
        room.mayImport === 'everything' ||
        room.row.includes(there) ||
        room.mayImport.includes(there)
      return allowed ? [] : [`${path} imports ${target}, which ${room.name} may not`]
    }
    if (specifier === 'rxjs' || specifier.startsWith('rxjs/')) {
      const allowed = room.rxjs === 'yes' || (room.rxjs === 'types' && typesOnly)
      return allowed ? [] : [`${path} imports rxjs, which ${room.name} may not`]
    }
    const outside = room.reachesOut === 'yes' || (room.reachesOut !== 'no' && room.reachesOut.includes(inSrc))
    return outside || !reachesOut(imported)
      ? []
      : [`${path} imports ${specifier}, which ${room.name} may not`]
  })
}

test('the table of ARCHITECTURE.md', async (t) => {
  await t.test('has a row for every folder and file directly under src', () => {
    assert.deepEqual(
      globSync('src/*').filter((path) => !roomOf(house, path.slice('src/'.length))),
      [],
    )
  })

  await t.test('allows every import', () => {
    assert.deepEqual(sources.flatMap(trespasses), [])
  })

  await t.test('would report a model that imports a sink, rxjs or a socket', () => {
    const text = `
      import { of } from 'rxjs'
      import type { Observable } from 'rxjs'
      import type { Socket } from 'node:net'
      import { connect, isIP } from 'node:net'
      import { client } from '../sinks/client.ts'
      export { route } from '../operators/route/route.ts'
      const later = () => import('../main.ts')
      type Far = import('../gateway.ts').Far`
    assert.deepEqual(trespasses(readSource('src/model/planted.ts', text)), [
      'src/model/planted.ts imports rxjs, which model may not',
      'src/model/planted.ts imports node:net, which model may not',
      'src/model/planted.ts imports sinks/client.ts, which model may not',
      'src/model/planted.ts imports operators/route/route.ts, which model may not',
      'src/model/planted.ts imports main.ts, which model may not',
      'src/model/planted.ts imports gateway.ts, which model may not',
    ])
  })

  await t.test('names files that exist', () => {
    const named = [...plan.matchAll(/`((?:src|test)\/[\w/.-]+)`/g)].flatMap(([, path]) => path ?? [])
    assert.ok(named.length > 7)
    assert.deepEqual(
      named.filter((path) => !existsSync(path)),
      [],
    )
  })
})

test('source files', async (t) => {
  await t.test('import each other with their extension, so that Node can run them directly', () => {
    const bare = sources.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => isRelative(imported) && !imported.specifier.endsWith('.ts'))
        .map(() => path),
    )
    assert.deepEqual(bare, [])
  })

  await t.test('have names that describe their content', () => {
    assert.deepEqual(sources.map(({ path }) => path).filter(isVague), [])
    assert.ok(
      isVague('src/streams/http-utils.ts') && isVague('src/common/a.ts') && !isVague('src/cel/community.ts'),
    )
  })

  await t.test('have no default exports', () => {
    assert.deepEqual(pathsOf(sources.filter((source) => source.hasDefaultExport)), [])
    const planted = [
      'export default 1',
      'const a = 1\nexport { a as default }',
      'export default function f() {}',
    ]
    assert.ok(planted.every((text) => readSource('planted.ts', text).hasDefaultExport))
  })

  await t.test('have at most 250 lines', () => {
    assert.deepEqual(pathsOf(written.filter((source) => source.lineCount > 250)), [])
    assert.equal(readSource('planted.ts', 'a\n'.repeat(251)).lineCount, 251)
  })

  await t.test('subscribe to observables and create subjects only at the edges', () => {
    const inside = written.filter(({ path }) => !edges.test(path))
    assert.deepEqual(linesOf(inside, 'subscribingLines'), [])
    const planted = readSource(
      'planted.ts',
      'a.pipe(b)\n  .subscribe()\nnew BehaviorSubject(1)\n// a.subscribe()',
    )
    assert.deepEqual(planted.subscribingLines, [1, 3])
  })

  await t.test('do not use the type any', () => {
    assert.deepEqual(linesOf(written, 'anyLines'), [])
    assert.deepEqual(readSource('planted.ts', '// any\nconst any = 1\nlet b: any[]').anyLines, [3])
  })

  await t.test('import no values in circles', () => {
    assert.deepEqual(importCircles(written, { types: false }), [])
    const planted = [
      readSource('src/a.ts', "import { b } from './b.ts'"),
      readSource('src/b.ts', "import { c } from './c.ts'"),
      readSource('src/c.ts', "import { a, type A } from './a.ts'"),
      readSource('src/d.ts', "import { a } from './a.ts'"),
    ]
    assert.deepEqual(importCircles(planted, { types: false }), [['src/a.ts', 'src/b.ts', 'src/c.ts']])
  })

  await t.test('import types in circles only where ARCHITECTURE.md lists them', () => {
    const listed = [...plan.matchAll(/^- \*\*(\d+) files\*\* around `(src\/[\w/.-]+)`/gm)]
    const found = importCircles(written, { types: true })
    assert.deepEqual(
      found.map((circle) => circle.length).sort(),
      listed.map(([, count]) => Number(count)).sort(),
    )
    for (const [, count, path = ''] of listed)
      assert.equal(found.find((circle) => circle.includes(path))?.length, Number(count), path)
  })

  await t.test('contain no TODOs', () => {
    const later = /\b(TODO|FIXME|XXX)\b/
    assert.deepEqual(pathsOf(written.filter(({ text }) => later.test(text))), [])
  })

  await t.test('document all of their exports', () => {
    const undocumented = written
      .filter(({ path }) => basename(path) !== 'main.ts')
      .flatMap(({ path, undocumented }) => undocumented.map((name) => `${path}: ${name}`))
    assert.deepEqual(undocumented, [])
    const planted =
      '/** Said. */\nexport const a = 1\nexport type B = 1\nexport class C {}\nexport function d() {}\nconst e = 1'
    assert.deepEqual(readSource('planted.ts', planted).undocumented, ['B', 'C', 'd'])
  })
})

const isVague = (path: string): boolean => vague.test(path)
const pathsOf = (found: readonly Source[]): string[] => found.map(({ path }) => path)
const linesOf = (among: readonly Source[], what: 'anyLines' | 'subscribingLines'): string[] =>
  among.flatMap((source) => source[what].map((line) => `${source.path}:${line}`))
