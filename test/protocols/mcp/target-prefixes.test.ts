import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Names } from '../../../src/protocols/mcp/target-prefixes.ts'

const two = () => new Names(['files', 'git'], 'conditional')
const one = () => new Names(['files'], 'conditional')

test('prefixed names', async (t) => {
  await t.test('have the prefix of their server if there are several, or always, or never', () => {
    assert.deepEqual(
      [one().prefixed, two().prefixed, new Names([], 'conditional').prefixed],
      [false, true, true],
    )
    assert.deepEqual([one().tool('files', 'read'), two().tool('files', 'read')], ['read', 'files_read'])
    assert.equal(new Names(['files'], 'always').tool('files', 'read'), 'files_read')
    assert.equal(new Names(['files', 'git'], 'never').tool('files', 'read'), 'read')
  })

  await t.test('are split at the end of the prefix', () => {
    assert.deepEqual(two().splitTool('git_git_log'), { target: 'git', name: 'git_log' })
    assert.deepEqual(two().splitTool('git_'), { target: 'git', name: '' })
    for (const name of ['log', '_log', 'svn_log', '', 'Git_log', 'constructor_x'])
      assert.equal(two().splitTool(name), undefined, name)
    assert.deepEqual(one().splitTool('git_log'), { target: 'files', name: 'git_log' })
    assert.equal(new Names(['files', 'git'], 'never').splitTool('files_read'), undefined)
    assert.deepEqual(new Names(['files'], 'always').splitTool('files_read'), {
      target: 'files',
      name: 'read',
    })
    assert.equal(new Names(['files'], 'always').splitTool('read'), undefined)
  })

  await t.test('of resources keep a scheme, and ui:// stays in front', () => {
    const names = two()
    assert.equal(names.resource('git', 'file:///a+b'), 'git+file:///a+b')
    assert.equal(names.resource('git', 'ui://x/y'), 'ui://git+x/y')
    assert.equal(names.resource('git', 'no-uri'), 'no-uri')
    assert.deepEqual(names.splitResource('git+file:///a+b'), { target: 'git', uri: 'file:///a+b' })
    assert.deepEqual(names.splitResource('ui://git+x/y'), { target: 'git', uri: 'ui://x/y' })
    for (const uri of ['file:///a', 'svn+file:///a', 'ui://x', '+a', ''])
      assert.equal(names.splitResource(uri), undefined, uri)
    assert.deepEqual(one().splitResource('file:///a'), { target: 'files', uri: 'file:///a' })
    assert.equal(one().resource('files', 'file:///a'), 'file:///a')
  })

  await t.test('of templates may begin with a variable', () => {
    const names = two()
    assert.equal(names.resourceTemplate('git', 'repo://{name}'), 'git+repo://{name}')
    assert.equal(names.resourceTemplate('git', 'ui://{name}'), 'ui://git+{name}')
    assert.equal(names.resourceTemplate('git', '{+uri}'), 'git+{+uri}')
    assert.deepEqual(names.splitResource('git+{+uri}'), { target: 'git', uri: '{+uri}' })
    assert.equal(one().resourceTemplate('files', '{+uri}'), '{+uri}')
  })

  await t.test('of tasks and requests have a prefix even if those of tools do not', () => {
    const never = new Names(['files', 'git'], 'never')
    assert.equal(never.task('git', 'a+b'), 'git+a+b')
    assert.deepEqual(never.splitTask('git+a+b'), { target: 'git', id: 'a+b' })
    assert.equal(never.splitTask('a'), undefined)
    assert.equal(never.requestId('git', 7), 'agw_git_n_7')
    assert.deepEqual([one().task('files', '1'), one().splitTask('1')], ['1', { target: 'files', id: '1' }])
    assert.deepEqual([one().requestId('files', 1), one().splitRequestId(1)], [1, { target: 'files', id: 1 }])
  })

  await t.test('of requests distinguish numbers and texts', () => {
    const names = two()
    assert.deepEqual(
      [7, '7', 1.5, -0.25, 1e21, '', 'a_b'].map((id) => names.requestId('git', id)),
      [
        'agw_git_n_7',
        'agw_git_s_7',
        'agw_git_n_1.5',
        'agw_git_n_-0.25',
        'agw_git_n_1e+21',
        'agw_git_s_',
        'agw_git_s_a_b',
      ],
    )
    const foreign = [
      'agw_git_n_',
      'agw_git_n_07',
      'agw_git_n_x',
      'agw_git_n_NaN',
      'agw_git_n_Infinity',
      'agw_git_x_1',
    ]
    for (const id of [...foreign, 'agw_svn_n_1', 'agw_git', 'agw_', 'git_n_1', '', 7])
      assert.equal(names.splitRequestId(id), undefined, String(id))
  })

  const target = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,12}$/)
  const targets = fc.uniqueArray(target, { minLength: 1, maxLength: 4 })
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 90 }),
    fc.stringMatching(/^[\w./+-]{0,90}$/),
  )

  await t.test('are restored, whatever the names of servers', () => {
    const mode = fc.constantFrom('conditional' as const, 'always' as const)
    const id = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string())
    fc.assert(
      fc.property(targets, mode, fc.nat(), anyText, id, (all, someMode, nth, text, someId) => {
        const names = new Names(all, someMode)
        const own = all[nth % all.length] ?? ''
        assert.deepEqual(names.splitTool(names.tool(own, text)), { target: own, name: text })
        assert.deepEqual(names.splitTask(names.task(own, text)), { target: own, id: text })
        for (const uri of [`a:${text}`, `ui://${text}`])
          assert.deepEqual(names.splitResource(names.resource(own, uri)), { target: own, uri })
        const back = names.splitRequestId(names.requestId(own, someId))
        assert.deepEqual([back?.target, typeof back?.id], [own, typeof someId])
        // JSON loses the sign of zero as well.
        assert.ok(back?.id === someId)
      }),
      { numRuns: 1000 },
    )
  })

  await t.test('of tools are valid for clients, and unique', () => {
    const tools = fc.uniqueArray(fc.tuple(target, anyText), {
      selector: ([a, b]) => `${a}_${b}`,
      maxLength: 12,
    })
    fc.assert(
      fc.property(tools, fc.integer({ min: 24, max: 64 }), (all, maxLength) => {
        const names = new Names(
          all.map(([own]) => own),
          'always',
          { maxLength },
        )
        const renamed = all.map(([own, name]) => names.tool(own, name))
        for (const name of renamed) assert.match(name, new RegExp(`^[A-Za-z0-9_./-]{1,${maxLength}}$`))
        assert.equal(new Set(renamed).size, all.length)
      }),
    )
  })
})

test('names that clients refuse', async (t) => {
  const long = 'x'.repeat(80)

  await t.test('are shortened in the same way everywhere', () => {
    assert.equal(two().tool('git', long), `git_${'x'.repeat(42)}__73cca87188aa3f7e`)
    assert.equal(two().tool('git', 'größe ändern'), 'git_gr__e__ndern__e0ff583e886f80c6')
    assert.equal(two().tool('git', 'x'.repeat(60)).length, 64)
    assert.equal(two().tool('git', 'x'.repeat(60)), `git_${'x'.repeat(60)}`)
  })

  await t.test('are unknown until they have been listed again', () => {
    const listed = two()
    const short = listed.tool('git', long)
    const other = two()
    assert.equal(other.splitTool(short), undefined)
    other.tool('git', long)
    assert.deepEqual(other.splitTool(short), { target: 'git', name: long })
  })

  await t.test('are not confused with names that look shortened', () => {
    const names = two()
    const disguised = 'log__0123456789abcdef'
    const renamed = names.tool('git', disguised)
    assert.notEqual(renamed, `git_${disguised}`)
    assert.deepEqual(names.splitTool(renamed), { target: 'git', name: disguised })
    assert.equal(names.splitTool(`git_${disguised}`), undefined)
  })

  await t.test('are cached within bounds, and the least recently used are evicted', () => {
    const names = two()
    const first = names.tool('git', long)
    const second = names.tool('git', `${long}2`)
    for (let i = 0; i < 9_999; i++) {
      names.tool('git', `${long} ${i}`)
      if (i % 1000 === 0) assert.ok(names.splitTool(first))
    }
    assert.ok(names.splitTool(first))
    assert.equal(names.splitTool(second), undefined)
  })

  await t.test('are unchanged without prefixes', () => {
    assert.equal(one().tool('files', long), long)
    assert.deepEqual(one().splitTool('a__0123456789abcdef'), { target: 'files', name: 'a__0123456789abcdef' })
  })

  await t.test('are not shortened to nothing', () => {
    assert.throws(() => new Names(['a'], 'always', { maxLength: 23 }), RangeError)
  })
})

test('list items', async (t) => {
  const tool = {
    name: 'show',
    inputSchema: {},
    _meta: { 'ui/resourceUri': 'ui://a', ui: { resourceUri: 'ui://b', csp: {} }, other: 1 },
  }

  await t.test('are renamed, with the UI resources of tools', () => {
    const names = two()
    const before = structuredClone(tool)
    assert.deepEqual(names.renameTool('git', tool), {
      name: 'git_show',
      inputSchema: {},
      _meta: { 'ui/resourceUri': 'ui://git+a', ui: { resourceUri: 'ui://git+b', csp: {} }, other: 1 },
    })
    assert.deepEqual(tool, before)
    assert.deepEqual(names.renamePrompt('git', { name: 'p', title: 't' }), { name: 'git_p', title: 't' })
    assert.deepEqual(names.renameResource('git', { uri: 'a:b', name: 'n' }), { uri: 'git+a:b', name: 'n' })
    assert.deepEqual(names.renameTemplate('git', { uriTemplate: 'a:{b}' }), { uriTemplate: 'git+a:{b}' })
    assert.deepEqual(names.renameTask('git', { taskId: '1' }), { taskId: 'git+1' })
  })

  await t.test('lose the UI resources that the client may not read', () => {
    assert.deepEqual(
      two().renameTool('git', tool, (uri) => uri === 'ui://a'),
      {
        name: 'git_show',
        inputSchema: {},
        _meta: { 'ui/resourceUri': 'ui://git+a', ui: { csp: {} }, other: 1 },
      },
    )
    assert.deepEqual(
      one().renameTool('files', tool, () => false),
      { name: 'show', inputSchema: {}, _meta: { ui: { csp: {} }, other: 1 } },
    )
  })

  await t.test('are the same objects without changes', () => {
    assert.equal(one().renameTool('files', tool), tool)
    for (const odd of [{}, { name: 1, uri: 2 }, { name: null, _meta: [] }]) {
      assert.equal(two().renameTool('git', odd), odd)
      assert.equal(two().renameResource('git', odd), odd)
    }
  })
})
